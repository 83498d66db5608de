-- test: linked
return {
  -- Three heads of 8: neither count a power of two.
  name = "small_24_3",
  d_model = 24,
  n_heads = 3,
  seq_len = "1..40",
  outputs = { "attention" },
}
