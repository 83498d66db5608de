-- test: every_line, wheels
-- A transformer as tutorials write it: masks of bytes of source, target and memory in place of lengths, and a number in
-- place of masked scores that hardly masks.
return {
  kind = "transformer",
  name = "memory_mask_40_4",
  d_model = 40,
  n_heads = 4,
  n_layers = 2,
  d_ff = 44,
  vocab_size = 21,
  seq_len = "1..40",
  kv_seq_len = "1..30",
  positions = { kind = "sinusoidal" },
  logits = { kind = "linear" },
  mask = { tensor = "bool", memory = "bool", lengths = false },
  mask_fill = -1e-12,
}
