-- test: bits
return {
  -- A layer of weights of 4 bits that all heads share: the groups of a head's part of a row end within the part.
  -- The output's last panel is narrower than the others, and deep.
  name = "int4_shared_108_3",
  d_model = 108,
  n_heads = 3,
  seq_len = "1..40",
  heads = "shared",
  weights_dtype = "int4",
}
