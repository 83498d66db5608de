-- Compared with live PyTorch: nn.MultiheadAttention without biases and with the key of zeros that it can append.
{
  name = "live_mha_zero",
  d_model = 48,
  n_heads = 3,
  bias = false,
  seq_len = "1..45",
  mask = { tensor = "bool" },
  add_zero_attn = true,
  outputs = { "attention", "attention_mean" },
}
