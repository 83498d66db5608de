-- The self-attention of the first encoder layer of T5-small (Raffel et al., 2020, arXiv:1910.10683): a learned number
-- for each head and bucket of distances is added to the scores, which are not scaled.
return {
  name = "t5_layer",
  d_model = 512,
  n_heads = 8,
  bias = false,
  scale = 1,
  relative_bias = { num_buckets = 32, max_distance = 128, bidirectional = true },
  weights = "t5",
  weights_prefix = "encoder.block.0.layer.0.SelfAttention.",
}
