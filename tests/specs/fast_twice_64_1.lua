-- test: every_template, emulated, wide
return {
  -- Four rows together in every linear: sequences with and without, with one to three last rows alone, of several in a
  -- batch.
  name = "fast_twice_64_1",
  d_model = 64,
  n_heads = 1,
  seq_len = "1..71",
  matmul = "fast:2",
  outputs = { "v_proj" },
}
