-- test: check, bits, shared
return {
  -- Pairs of rows where q, k and v are exact, as their heads cannot be halved, and gate and up are the halves of one
  -- product.
  name = "fast_gated_96_4",
  kind = "encoder",
  d_model = 96,
  n_heads = 4,
  n_layers = 2,
  d_ff = 112,
  seq_len = "1..100",
  ffn = { activation = "silu", gated = true, bias = false },
  norm = { place = "pre", kind = "rms", final = true },
  matmul = "fast",
}
