-- Layers as tutorials write them: causal, and masked scores replaced by -1e9, also those of a batch's padding.
return {
  kind = "encoder",
  name = "live_encoder_fill",
  d_model = 48,
  n_heads = 4,
  d_ff = 80,
  n_layers = 2,
  seq_len = "1..70",
  mask = { causal = true },
  mask_fill = -1e9,
  norm = { final = true },
}
