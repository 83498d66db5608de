-- Compared with live transformers: T5Attention of an encoder's first layer, whose bias by distance looks both ways.
{
  name = "hf_t5_bias_48_4",
  d_model = 48,
  n_heads = 4,
  seq_len = "1..150",
  bias = false,
  scale = 1,
  relative_bias = { num_buckets = 32, max_distance = 128, bidirectional = true },
  weights = "t5",
  outputs = { "attention" },
}
