-- Keys, values, heads and output of a single number each, beside wider rows of queries.
return {
  name = "d_head_1_5_3",
  d_model = 5,
  n_heads = 3,
  d_head = 1,
  k_dim = 1,
  v_dim = 1,
  d_out = 1,
  seq_len = "1..40",
}
