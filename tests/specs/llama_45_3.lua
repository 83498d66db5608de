-- test: every_template, both_luas, wheels, numbers
-- A causal stack as Llama is built, of widths that end within vectors: RMSNorm before blocks, a gated feed-forward,
-- shared key heads, rotary positions, logits by the embedding's own weight; one type of tokens, as in RoBERTa.
return {
  kind = "encoder",
  name = "llama_45_3",
  d_model = 45,
  n_heads = 3,
  n_kv_heads = 1,
  d_head = 14,
  d_ff = 37,
  n_layers = 2,
  seq_len = "1..40",
  cache = 50,
  vocab_size = 51,
  token_types = 1,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split", theta = 10000 },
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear", tied = true },
}
