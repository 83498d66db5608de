-- test: emulated
return {
  -- Exactly 77 rows, which no tile divides, without lengths: nothing is known at run time but the batch. Heads side by
  -- side are the output.
  name = "exact_10_2",
  d_model = 10,
  n_heads = 2,
  seq_len = 77,
  projections = "qkv",
  mask = { lengths = false },
}
