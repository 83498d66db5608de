-- test: programs
return {
  -- int4_64_logits in floats alone, beside which rounded weights are measured.
  kind = "encoder",
  name = "f32_64_logits",
  d_model = 64,
  n_heads = 4,
  n_layers = 2,
  d_ff = 96,
  seq_len = "1..30",
  mask = { causal = true },
  vocab_size = 60,
  norm = { place = "pre", final = true },
  logits = { kind = "linear" },
}
