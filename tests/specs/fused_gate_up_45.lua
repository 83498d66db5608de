-- Layers of a gated feed-forward whose gate and up are one weight with a bias, as in ModernBERT; of odd widths.
return {
  kind = "encoder",
  name = "fused_gate_up_45",
  d_model = 45,
  d_ff = 37,
  n_layers = 2,
  seq_len = "1..70",
  layer = { attention = false },
  norm = { place = "pre" },
  ffn = { activation = "gelu", gated = true, fused = true },
}
