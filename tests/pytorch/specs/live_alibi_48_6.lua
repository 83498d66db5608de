-- Compared with live attention modules of transformers: BLOOM's and MPT's slopes of six heads, no power of two.
{
  name = "live_alibi_48_6",
  d_model = 48,
  n_heads = 6,
  seq_len = "1..150",
  bias = false,
  mask = { causal = true },
  alibi = true,
  outputs = { "attention" },
  weights = "mpt",
}
