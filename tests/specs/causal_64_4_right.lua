-- test: linked, emulated
return {
  -- Causal from the bottom right where queries may outnumber keys: rows that see nothing.
  name = "causal_64_4_right",
  d_model = 64,
  n_heads = 4,
  seq_len = "1..130",
  mask = { causal = "bottom_right" },
}
