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
  weights = {
    q_weight = "q_proj.weight", q_bias = "q_proj.bias", k_weight = "k_proj.weight", k_bias = "k_proj.bias",
    v_weight = "v_proj.weight", v_bias = "v_proj.bias", o_weight = "o_proj.weight", o_bias = "o_proj.bias",
    sinks = "sinks",
  },
}
