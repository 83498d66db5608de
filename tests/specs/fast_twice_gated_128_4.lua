-- test: check, bits, cross, shared
return {
  -- Four rows together in the output, and in gate and up, whose quarters are those of one product; pairs in q, k and v,
  -- whose heads cannot be split twice, and in down. Blocks of rows end between fours.
  name = "fast_twice_gated_128_4",
  kind = "encoder",
  d_model = 128,
  n_heads = 4,
  n_layers = 2,
  d_ff = 160,
  seq_len = "1..110",
  ffn = { activation = "silu", gated = true },
  norm = { place = "pre", kind = "rms", final = true },
  matmul = "fast:2",
}
