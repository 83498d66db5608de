-- test: check
-- A decoder whose linears have several panels on every instruction set, for ranks: shared key heads, and a gated
-- feed-forward of a width at which no panel ends.
return {
  kind = "encoder",
  name = "ranks_104_8",
  d_model = 104,
  n_heads = 8,
  n_kv_heads = 4,
  d_head = 16,
  d_ff = 211,
  n_layers = 2,
  seq_len = "1..24",
  cache = 60,
  vocab_size = 300,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split", theta = 10000 },
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear" },
}
