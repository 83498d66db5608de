-- What ./configure --d-model 512 --heads 8 makes, for the examples of it, whatever else is configured.
return {
  name = "mha_512_8",
  d_model = 512,
  n_heads = 8,
}
