-- Compared with live attention modules of transformers: Gemma-2's cap and a scale of its own, T5's bias of a decoder.
{
  name = "live_softcap_48_4",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 24,
  seq_len = "1..150",
  scale = 0.25,
  bias = false,
  mask = { causal = true },
  softcap = 2,
  relative_bias = { num_buckets = 32, max_distance = 128 },
  outputs = { "attention" },
  weights = {
    q_weight = "q_proj.weight", k_weight = "k_proj.weight", v_weight = "v_proj.weight", o_weight = "o_proj.weight",
    relative_bias = "relative_attention_bias.weight",
  },
}
