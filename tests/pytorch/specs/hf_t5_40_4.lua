-- Compared with live transformers: T5Attention without its relative bias: no scale, no biases, heads that are together
-- wider than the model. An activation is hooked after each linear.
{
  name = "hf_t5_40_4",
  d_model = 40,
  n_heads = 4,
  d_head = 16,
  seq_len = "1..40",
  bias = false,
  scale = 1,
  activation = { q = "relu", k = "tanh", v = "gelu", o = "silu" },
  weights = "t5",
  outputs = { "attention" },
}
