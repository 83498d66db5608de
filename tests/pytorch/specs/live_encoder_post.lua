-- nn.TransformerEncoder with a final norm: norms after residuals, relu.
return {
  kind = "encoder",
  name = "live_encoder_post",
  d_model = 48,
  n_heads = 4,
  d_ff = 80,
  n_layers = 3,
  seq_len = "1..70",
  norm = { final = true },
}
