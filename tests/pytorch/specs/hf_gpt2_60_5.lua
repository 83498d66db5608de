-- Compared with live transformers: GPT2Attention with its own causal mask, weights held as [in,out].
{
  name = "hf_gpt2_60_5",
  d_model = 60,
  n_heads = 5,
  seq_len = "1..50",
  mask = { causal = true },
  weights = "gpt2",
  weights_prefix = "h.0.attn.",
  outputs = { "attention" },
}
