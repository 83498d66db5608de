-- test: bits, check
-- Feed-forwards in int8 whose low-rank pair multiplies int8 as well, and which take the place of their rows.
return {
  kind = "encoder",
  name = "adapter_int8_52",
  d_model = 52,
  d_ff = 300,
  n_layers = 2,
  seq_len = "1..40",
  layer = { attention = false, residual = false },
  norm = { kind = "none" },
  ffn = { activation = "gelu", adapter_rank = 17 },
  dtype = "int8",
}
