-- Compared with live PyTorch: a mask that is added to the scores, and the keys that nn.MultiheadAttention can append.
{
  name = "live_mask_add",
  d_model = 48,
  n_heads = 4,
  seq_len = "1..45",
  mask = { tensor = "additive" },
  add_bias_kv = true,
  add_zero_attn = true,
  outputs = { "attention", "attention_mean" },
}
