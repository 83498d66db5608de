-- Compared with transformers' GPTJAttention, whose neighbours turn together in 14 of a head's 18 dimensions, with an
-- activation hooked after each of its projections.
{
  name = "live_gptj",
  d_model = 54,
  n_heads = 3,
  seq_len = "1..40",
  mask = { causal = true },
  bias = false,
  scale = "d_model",
  activation = { q = "tanh", k = "gelu", v = "silu", o = "gelu_tanh" },
  rope = { layout = "interleaved", rotary_dim = 14, positions = 100 },
  outputs = { "attention" },
  weights = "proj",
}
