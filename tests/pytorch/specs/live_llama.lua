-- Compared with transformers' LlamaAttention: halves of a head turn together, and key heads are shared by pairs.
{
  name = "live_llama",
  d_model = 72,
  n_heads = 6,
  n_kv_heads = 3,
  d_head = 20,
  seq_len = "1..40",
  mask = { causal = true },
  bias = false,
  rope = { layout = "half_split", theta = 500, positions = 100 },
  dropout = 0.1,
  outputs = { "attention" },
}
