-- test: every_line
-- Layers of three kinds in turn: as the spec says, with a window to both sides and other angles, without positions.
-- Seven layers are more than two turns. The norms have no bias, and the first layer has none before its attention.
return {
  kind = "encoder",
  name = "layer_kinds_40_4",
  d_model = 40,
  n_heads = 4,
  d_ff = 50,
  n_layers = 7,
  seq_len = "1..90",
  mask = { lengths = true },
  vocab_size = 40,
  embedding = { norm = true },
  rope = { layout = "half_split", theta = 160000 },
  norm = { place = "pre", bias = false, skips_first = true },
  layers = {
    pattern = { "base", "near", "plain" },
    kinds = {
      near = { mask = { window = 9, window_sides = "both" }, rope = { theta = 500 } },
      plain = { rope = false, softcap = 2 },
    },
  },
}
