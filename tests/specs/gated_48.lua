-- test: bits
-- Layers of a gated feed-forward joined to its rows, norms before each; logits of the last rows alone.
return {
  kind = "encoder",
  name = "gated_48",
  d_model = 48,
  d_ff = 37,
  n_layers = 2,
  seq_len = "1..70",
  vocab_size = 30,
  layer = { attention = false },
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear", tied = true },
}
