-- test: every_line
-- A causal stack as OLMo 2 and 3: norms over what blocks add to the residual alone, and one norm over all heads of q
-- and one over those of k. In every second layer rows see only the last keys.
return {
  kind = "encoder",
  name = "norm_of_rows_48_4",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 10,
  d_ff = 31,
  n_layers = 3,
  seq_len = "1..40",
  cache = 50,
  vocab_size = 51,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split" },
  qk_norm = { kind = "rms", over = "row" },
  norm = { kind = "rms", place = "result" },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear" },
  layers = { pattern = { "near", "base" }, kinds = { near = { mask = { window = 7 } } } },
}
