-- The attention of one layer of BLOOM-560m (BigScience, 2022, arXiv:2211.05100): ALiBi (Press et al., 2021,
-- arXiv:2108.12409) instead of positions: only seq_len limits the length of a sequence. BLOOM's file interleaves q, k
-- and v head by head in one tensor, which no layout reads: sort its rows before.
return {
  name = "bloom_layer",
  d_model = 1024,
  n_heads = 16,
  mask = { causal = true },
  alibi = true,
}
