return {
  -- What a decoder of a Llama's shape asks for: few key heads, no biases, keys and values kept between calls.
  name = "live_cache_96_6",
  d_model = 96,
  n_heads = 6,
  n_kv_heads = 2,
  seq_len = "1..50",
  cache = 150,
  bias = false,
}
