-- A decoder of 160 million weights, for bench/ranks/run.sh: the shape of Llama, more than caches hold.
return {
  kind = "encoder",
  name = "decoder",
  d_model = 1024,
  n_heads = 16,
  n_kv_heads = 8,
  d_ff = 2816,
  n_layers = 12,
  seq_len = "1..64",
  cache = 512,
  vocab_size = 8192,
  bias = false,
  mask = { causal = true },
  rope = { layout = "half_split", theta = 10000 },
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true, bias = false },
  logits = { kind = "linear" },
}
