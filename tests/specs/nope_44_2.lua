-- test: every_line
-- A causal stack of which the second layer has no positions. Those of the others are scaled by yarn, in 18 of a head's
-- 22 dimensions: slow pairs, fast pairs, and pairs on the ramp between. Factors of token rows, of what joins the
-- residual and of logits, which have the embedding's weight.
return {
  kind = "encoder",
  name = "nope_44_2",
  d_model = 44,
  n_heads = 2,
  d_ff = 30,
  n_layers = 3,
  seq_len = "1..40",
  cache = 60,
  vocab_size = 53,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split", rotary_dim = 18, theta = 700, scaling = "yarn", factor = 4, original_positions = 20,
    slow_turns = 0.5, fast_turns = 2 },
  layers = { pattern = { "base", "plain", "base" }, kinds = { plain = { rope = false } } },
  norm = { kind = "rms", place = "pre" },
  layer = { residual_scale = 0.3 },
  embedding = { scale = 3 },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear", tied = true, scale = 0.125 },
}
