-- Compared with live attention modules of transformers: Mistral's window and GPT-OSS's sinks, two heads to a key head.
{
  name = "live_sinks_48_4",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 24,
  seq_len = "1..150",
  mask = { causal = true, window = 17 },
  sinks = true,
  outputs = { "attention" },
  weights = "llama",
}
