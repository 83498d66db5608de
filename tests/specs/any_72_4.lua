-- test: bits, check, soak, programs
return {
  -- A layer whose calls choose a dtype for each linear: heads that fill no vector, fewer key heads.
  name = "any_72_4",
  d_model = 72,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 20,
  seq_len = "1..24",
  dtype = "any",
}
