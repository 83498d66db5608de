-- test: bits
return {
  -- An activation after each projection, none like another; output rows that end in the middle of a vector.
  name = "activations_36_4",
  d_model = 36,
  n_heads = 4,
  seq_len = "1..40",
  activation = { q = "relu", k = "silu", v = "tanh", o = "gelu" },
  outputs = { "attention" },
}
