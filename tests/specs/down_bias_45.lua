-- test: check
-- Layers of a gated feed-forward of which the last linear alone has a bias, as in GTE; of odd widths.
return {
  kind = "encoder",
  name = "down_bias_45",
  d_model = 45,
  d_ff = 37,
  n_layers = 2,
  seq_len = "1..70",
  layer = { attention = false },
  ffn = { activation = "gelu", gated = true, bias = false, down_bias = true },
}
