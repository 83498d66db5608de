-- test: every_line
-- A causal stack with a norm before each block and another over its result, as in Gemma 2: scores and logits are
-- capped softly, and in every second layer rows see only the last keys. The norms multiply by 1 + weight.
return {
  kind = "encoder",
  name = "sandwich_42_3",
  d_model = 42,
  n_heads = 3,
  n_kv_heads = 1,
  d_head = 14,
  d_ff = 29,
  n_layers = 3,
  seq_len = "1..40",
  cache = 50,
  vocab_size = 53,
  bias = false,
  scale = 0.3,
  softcap = 5,
  mask = { causal = true },
  rope = { layout = "half_split" },
  norm = { kind = "rms", place = "sandwich", unit_offset = true },
  ffn = { activation = "gelu_tanh", gated = true, bias = false },
  logits = { kind = "linear", tied = true, softcap = 3 },
  layers = { pattern = { "near", "base" }, kinds = { near = { mask = { window = 7 } } } },
}
