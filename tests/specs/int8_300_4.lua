return {
  -- A layer of products of bytes, two running sums of different lengths deep, with heads that fill no vector.
  name = "int8_300_4",
  d_model = 300,
  n_heads = 4,
  seq_len = "1..24",
  dtype = "int8",
}
