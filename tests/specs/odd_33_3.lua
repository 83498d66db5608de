-- test: bits, numbers, emulated, wide
return {
  -- An odd d_model: no row of any tensor starts at the alignment of the row before it.
  name = "odd_33_3",
  d_model = 33,
  n_heads = 3,
  seq_len = "1..70",
  outputs = { "attention" },
}
