-- test: bits
return {
  -- A whole model with linears in half the bytes: RMSNorm before blocks, a gated feed-forward, logits of the embedding,
  -- a cache.
  kind = "decoder",
  name = "bf16_40_decoder",
  d_model = 40,
  n_heads = 4,
  n_layers = 2,
  d_ff = 56,
  seq_len = "1..30",
  kv_seq_len = "1..20",
  vocab_size = 51,
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true },
  logits = { kind = "linear", tied = true },
  cache = 60,
  weights_dtype = "bf16",
}
