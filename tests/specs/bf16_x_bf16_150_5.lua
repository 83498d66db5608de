-- test: bits, wide
return {
  -- A layer of products of bf16, two running sums deep, the last lane of each half full; grouped keys, a causal mask.
  name = "bf16_x_bf16_150_5",
  d_model = 150,
  n_heads = 5,
  n_kv_heads = 1,
  seq_len = "1..40",
  mask = { causal = true },
  dtype = "bf16",
}
