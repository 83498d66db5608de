-- Compared with live transformers: ViTAttention whose qkv_bias is off, under a whole model's names.
{
  name = "hf_vit_36_3",
  d_model = 36,
  n_heads = 3,
  seq_len = "1..30",
  bias = { q = false, k = false, v = false, o = true },
  weights = "vit",
  weights_prefix = "encoder.layer.3.attention.",
  outputs = { "attention" },
}
