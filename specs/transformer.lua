-- The base model of "Attention Is All You Need" (Vaswani et al., 2017): six layers on each side, rows of 512, eight
-- heads, feed-forward of 2048, norms after residuals, positions of sines and cosines. The names of its weights are
-- those of the well-known tutorial; `weights = "torch_transformer"` without vocab_size and logits reads
-- torch.nn.Transformer's.
return {
  kind = "transformer",
  name = "transformer",
  d_model = 512,
  n_heads = 8,
  d_ff = 2048,
  n_layers = 6,
  seq_len = "1..256",
  kv_seq_len = "1..256",
  cache = 256,                          -- generation goes on from what a sequence holds
  vocab_size = 37000,
  positions = { kind = "sinusoidal" },
  norm = { eps = 1e-12 },               -- after each residual
  ffn = { activation = "relu" },
  logits = { kind = "linear", bias = true },
  weights = "tutorial",
}
