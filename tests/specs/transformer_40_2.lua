-- test: every_line, both_luas, programs, wheels, lua, numbers, shared, races, memory
-- A transformer: an encoder, and a decoder over what it gave; the encoder has a layer more.
return {
  kind = "transformer",
  name = "transformer_40_2",
  d_model = 40,
  n_heads = 2,
  d_ff = 56,
  n_layers = 2,
  n_decoder_layers = 1,
  seq_len = "1..40",
  kv_seq_len = "1..50",
  cache = 60,
  positions = { kind = "sinusoidal" },
  norm = { final = true },
}
