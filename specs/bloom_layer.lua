-- The attention of one layer of BLOOM-560m (BigScience, 2022, arXiv:2211.05100): ALiBi (Press et al., 2021,
-- arXiv:2108.12409) in place of positions, so that nothing limits a sequence but seq_len. BLOOM's file interleaves q, k
-- and v head by head in one tensor, which no layout reads: its rows are put in order before.
return {
  name = "bloom_layer",
  d_model = 1024,
  n_heads = 16,
  mask = { causal = true },
  alibi = true,
}
