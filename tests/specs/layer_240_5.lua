return {
  -- Five heads of 48, over lengths far beyond any tile.
  name = "layer_240_5",
  d_model = 240,
  n_heads = 5,
  seq_len = "1..211",
}
