-- test: every_template
-- One layer whose scores add products of queries and relative positions alone, by a linear of positions' own. Distances
-- from 5 on share a row of the table.
return {
  name = "disentangled_own_30_2",
  d_model = 30,
  n_heads = 2,
  seq_len = "1..33",
  disentangled = { span = 5, terms = "c2p", own_linears = true },
  bias = { k = false },
}
