-- A feed-forward alone: two linears and what is between them.
return {
  kind = "encoder",
  name = "feed_forward_45",
  d_model = 45,
  d_ff = 70,
  n_layers = 1,
  seq_len = "1..40",
  layer = { attention = false, residual = false },
  norm = { kind = "none" },
  ffn = { activation = "gelu" },
}
