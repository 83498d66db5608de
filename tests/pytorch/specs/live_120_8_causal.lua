-- Compared with live PyTorch: heads of 15, narrower than a vector, under a causal mask.
{
  name = "live_120_8_causal",
  d_model = 120,
  n_heads = 8,
  seq_len = "1..40",
  mask = { lengths = true, causal = true },
  outputs = { "attention" },
}
