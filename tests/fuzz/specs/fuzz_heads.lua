-- Attention alone, of one head, whose rows may come without the heads; numbers added to the scores.
return {
  kind = "sdpa",
  name = "fuzz_heads",
  n_heads = 1,
  d_head = 3,
  d_v = 5,
  seq_len = "1..7",
  mask = { tensor = "additive", causal = true },
  outputs = { "attention", "attention_mean" },
}
