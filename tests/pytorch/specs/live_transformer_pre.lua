-- torch.nn.Transformer with norm_first = True, small.
return {
  kind = "transformer",
  name = "live_transformer_pre",
  d_model = 48,
  n_heads = 4,
  d_ff = 96,
  n_layers = 2,
  n_decoder_layers = 1,
  seq_len = "1..40",
  kv_seq_len = "1..40",
  norm = { place = "pre", final = true },
  mask = { tensor = "additive", memory = "additive" },
  weights = "torch_transformer",
}
