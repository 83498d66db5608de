-- torch.nn.functional.scaled_dot_product_attention: attention alone, on heads in the shape [batch, heads, length,
-- d_head]. No weights.
return {
  kind = "sdpa",
  name = "sdpa",
  n_heads = 12,
  d_head = 64,
  mask = { causal = true },
}
