-- test: every_template, emulated, wide
return {
  -- Four rows together in every linear: sequences with and without, with one to three last rows alone, of several in a
  -- batch, and of more rows than a block of sums has.
  name = "fast_twice_64_1",
  d_model = 64,
  n_heads = 1,
  seq_len = "1..149",
  matmul = "fast:2",
  outputs = { "v_proj" },
}
