-- test: bits, soak, programs
-- A decoder whose calls mask its memory too, each kind of mask beside the other; lengths hide rows of it as well, and a
-- row that sees none of it gives all of it the same weight.
return {
  kind = "decoder",
  name = "memory_mask_36_3",
  d_model = 36,
  n_heads = 3,
  n_layers = 2,
  d_ff = 40,
  seq_len = "1..50",
  kv_seq_len = "1..40",
  vocab_size = 19,
  logits = { kind = "linear" },
  mask = { tensor = "bool", memory = "additive" },
  masked_row = "uniform",
  outputs = { "cross_attention" },
}
