-- torch.nn.MultiheadAttention(512, 8, kdim=256, vdim=384, add_bias_kv=True, add_zero_attn=True): keys and values of
-- other widths, a learned key and value and one of zeros after those of each sequence, and the mean of all heads'
-- weights (average_attn_weights).
return {
  name = "torch_mha",
  d_model = 512,
  n_heads = 8,
  k_dim = 256,
  v_dim = 384,
  mask = { tensor = "bool" },  -- attn_mask; True in PyTorch hides a key, here a byte that is not zero shows it
  add_bias_kv = true,
  add_zero_attn = true,
  outputs = { "attention_mean" },
  weights = "torch_mha",
}
