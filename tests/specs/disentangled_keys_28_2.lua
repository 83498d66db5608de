-- test: every_template
-- One layer whose scores add products of keys and relative positions alone; queries and keys differ in length.
return {
  name = "disentangled_keys_28_2",
  d_model = 28,
  n_heads = 2,
  seq_len = "1..20",
  kv_seq_len = "1..30",
  disentangled = { span = 9, max_distance = 20, terms = "p2c" },
  mask = { tensor = "bool" },
}
