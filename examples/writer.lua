-- A small causal stack that goes on from a prompt (`generate` in docs/models.md), built as GPT-2 is.
return {
  kind = "encoder",
  name = "writer",
  d_model = 64,
  n_heads = 4,
  d_ff = 128,
  n_layers = 2,
  seq_len = "1..64",
  cache = 64,
  vocab_size = 100,
  positions = { kind = "learned" },
  norm = { place = "pre" },
  ffn = { activation = "gelu_tanh" },
  logits = { kind = "linear", tied = true },
  weights = "roles",
}
