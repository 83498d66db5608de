-- test: bits, programs
return {
  -- An encoder of sentences whose calls choose a dtype for each linear: heads that fill whole vectors, a pool.
  kind = "encoder",
  name = "any_32_pool",
  d_model = 32,
  n_heads = 2,
  n_layers = 1,
  d_ff = 48,
  seq_len = "1..24",
  vocab_size = 10,
  ffn = { activation = "gelu" },
  pool = { kind = "mean" },
  dtype = "any",
}
