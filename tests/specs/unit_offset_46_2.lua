-- test: every_line
-- A causal stack whose norms multiply by 1 + weight, those of q and k too, as in Gemma: token rows are scaled, a gate
-- is activated by gelu_tanh, and the embedding's weight gives the logits.
return {
  kind = "encoder",
  name = "unit_offset_46_2",
  d_model = 46,
  n_heads = 2,
  n_kv_heads = 1,
  d_head = 18,
  d_ff = 31,
  n_layers = 2,
  seq_len = "1..40",
  cache = 50,
  vocab_size = 51,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split" },
  qk_norm = { kind = "rms", unit_offset = true },
  norm = { kind = "rms", place = "pre", unit_offset = true },
  embedding = { scale = true, norm = true },
  ffn = { activation = "gelu_tanh", gated = true, bias = false },
  logits = { kind = "linear", tied = true },
}
