-- nn.TransformerDecoder: causal, norms after residuals, gelu; memory of other lengths; both attentions of each layer.
return {
  kind = "decoder",
  name = "live_decoder_post",
  d_model = 48,
  n_heads = 4,
  d_ff = 80,
  n_layers = 2,
  seq_len = "1..40",
  kv_seq_len = "1..60",
  ffn = { activation = "gelu" },
  outputs = { "attention", "cross_attention" },
}
