-- torch.nn.Transformer with norm_first = False, small.
return {
  kind = "transformer",
  name = "live_transformer_post",
  d_model = 48,
  n_heads = 4,
  d_ff = 96,
  n_layers = 2,
  n_decoder_layers = 1,
  seq_len = "1..40",
  kv_seq_len = "1..40",
  norm = { place = "post", final = true },
  mask = { tensor = "bool", memory = "bool" },
  weights = "torch_transformer",
}
