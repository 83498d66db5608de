return {
  -- A number so near the scores that masked keys have weight, in a whole model whose sequences have no padding.
  kind = "encoder",
  name = "mask_fill_20_encoder",
  d_model = 20,
  n_heads = 2,
  n_layers = 2,
  d_ff = 24,
  seq_len = "1..50",
  mask = { window = 5, window_sides = "both", lengths = false },
  mask_fill = -2.5,
}
