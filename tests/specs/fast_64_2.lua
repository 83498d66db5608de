-- test: every_line, emulated, wide, cross, shared
return {
  -- Pairs of rows in every linear: sequences with pairs and without, with a last row alone, of several in a batch.
  name = "fast_64_2",
  d_model = 64,
  n_heads = 2,
  seq_len = "1..37",
  matmul = "fast",
  outputs = { "attention", "q_proj", "v_proj" },
}
