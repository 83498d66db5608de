-- test: bits, programs
return {
  -- An encoder and a decoder with weights in groups, whose linears show rows on both sides; logits of their own.
  kind = "transformer",
  name = "int4_36_transformer",
  d_model = 36,
  n_heads = 3,
  n_layers = 2,
  norm = { place = "pre" },
  d_ff = 52,
  seq_len = "1..20",
  kv_seq_len = "1..24",
  vocab_size = 43,
  logits = { kind = "linear", bias = true },
  weights_dtype = "int4",
}
