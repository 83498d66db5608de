-- test: goldens, wheels
-- The model the PyTorch goldens are run through, once for each weight-name map that ships.
{
  name = "golden_maps",
  d_model = 48,
  n_heads = 3,
  seq_len = "1..16",
  outputs = { "attention" },
}
