-- GPT-2 small (Radford et al., 2019): causal, norms before each block, logits by the embedding's weight, and a cache.
return {
  kind = "encoder",
  name = "gpt2",
  d_model = 768,
  n_heads = 12,
  d_ff = 3072,
  n_layers = 12,
  seq_len = "1..1024",
  cache = 1024,
  vocab_size = 50257,
  positions = { kind = "learned", rows = 1024 },
  norm = { place = "pre", eps = 1e-5 },
  ffn = { activation = "gelu_tanh" },
  logits = { kind = "linear", tied = true },
  weights = "gpt2",
}
