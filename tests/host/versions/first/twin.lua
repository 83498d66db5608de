return {
  -- One of two versions of a model, of one name, that are loaded side by side.
  name = "twin",
  d_model = 24,
  n_heads = 3,
  seq_len = "1..40",
}
