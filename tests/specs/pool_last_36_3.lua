-- test: bits, check
-- A causal encoder of sentences as Qwen-3 is built: each sequence's last row is its vector, of length one, and gives
-- its last logits too.
return {
  kind = "encoder",
  name = "pool_last_36_3",
  d_model = 36,
  n_heads = 3,
  n_kv_heads = 1,
  d_ff = 41,
  n_layers = 2,
  seq_len = "1..40",
  vocab_size = 45,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split", theta = 10000 },
  norm = { kind = "rms", place = "pre" },
  qk_norm = { kind = "rms" },
  ffn = { activation = "silu", gated = true, bias = false },
  pool = { kind = "last", normalize = true },
  logits = { kind = "linear", tied = true },
}
