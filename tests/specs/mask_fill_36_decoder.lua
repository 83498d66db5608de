-- test: bits
return {
  -- A number in place of masked scores in the layers of a whole model: a mask of bytes with each call, a window; rows
  -- that see no key give all keys of their own sequence the same weight.
  kind = "decoder",
  name = "mask_fill_36_decoder",
  d_model = 36,
  n_heads = 3,
  n_layers = 2,
  d_ff = 40,
  seq_len = "1..50",
  kv_seq_len = "1..20",
  mask = { tensor = "bool", causal = true, window = 9 },
  mask_fill = -1e9,
}
