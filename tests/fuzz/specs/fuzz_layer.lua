-- One layer with all that a file of inputs may hold for one, but a cache: a mask, places, token ids.
return {
  name = "fuzz_layer",
  d_model = 4,
  n_heads = 2,
  n_kv_heads = 1,
  seq_len = "1..6",
  mask = { tensor = "bool" },
  rope = { layout = "half_split", positions = 12 },
  vocab_size = 5,
  outputs = { "attention" },
}
