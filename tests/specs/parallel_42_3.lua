-- test: every_template
-- A causal stack as GPT-NeoX: attention and feed-forward read the same rows, each after a norm of its own, and both
-- results are added to them. A part of each head rotates.
return {
  kind = "encoder",
  name = "parallel_42_3",
  d_model = 42,
  n_heads = 3,
  d_ff = 37,
  n_layers = 3,
  seq_len = "1..40",
  cache = 50,
  vocab_size = 51,
  mask = { causal = true },
  rope = { layout = "half_split", rotary_dim = 6 },
  norm = { kind = "layer", place = "pre" },
  layer = { parallel = true },
  ffn = { activation = "gelu" },
  logits = { kind = "linear" },
}
