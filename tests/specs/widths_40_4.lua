-- test: every_line, wheels, lua, memory
return {
  -- Rows of query, key, value and output of four widths, two key heads, heads whose widths add up to none of them, and
  -- every intermediate.
  name = "widths_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 9,
  k_dim = 24,
  v_dim = 33,
  d_out = 21,
  seq_len = "1..70",
  outputs = {
    "attention", "q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "scores", "x_heads", "x_concat",
  },
}
