-- test: bits, programs
return {
  -- A causal encoder with weights in groups that gives logits of the next token, with a cache: texts can be its
  -- samples.
  kind = "encoder",
  name = "int4_64_logits",
  d_model = 64,
  n_heads = 4,
  n_layers = 2,
  d_ff = 96,
  seq_len = "1..30",
  mask = { causal = true },
  vocab_size = 60,
  norm = { place = "pre", final = true },
  logits = { kind = "linear" },
  cache = 40,
  weights_dtype = "int4",
}
