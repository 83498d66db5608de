-- No layers and no weights: sines and cosines added to rows of an odd width.
return {
  kind = "encoder",
  name = "sinusoidal_43",
  d_model = 43,
  n_layers = 0,
  seq_len = "1..40",
  positions = { kind = "sinusoidal", first = 3 },
}
