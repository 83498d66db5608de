-- test: bits, soak, programs
-- A decoder: causal attention with a mask of bytes besides, attention to an encoder's output, feed-forward, norms
-- before each; it gives both attentions of each layer.
return {
  kind = "decoder",
  name = "decoder_40_2",
  d_model = 40,
  n_heads = 2,
  d_ff = 56,
  n_layers = 2,
  seq_len = "1..40",
  kv_seq_len = "1..50",
  mask = { tensor = "bool" },
  norm = { place = "pre" },
  outputs = { "attention", "cross_attention" },
}
