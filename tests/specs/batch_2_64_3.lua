return {
  -- A batch of exactly two, and heads whose widths do not add up to d_model.
  name = "batch_2_64_3",
  d_model = 64,
  n_heads = 3,
  d_head = 20,
  seq_len = "1..40",
  batch = 2,
  scale = "d_model",
}
