return {
  -- A key of zeros beside masked keys whose scores a number replaces: where all other keys are masked, a query's NaN
  -- shows in its score alone.
  name = "mask_fill_18_1",
  kind = "sdpa",
  d_head = 18,
  n_heads = 1,
  d_v = 5,
  seq_len = "1..40",
  mask = { causal = "top_left", window = 7, tensor = "additive" },
  mask_fill = -1e9,
  add_zero_attn = true,
}
