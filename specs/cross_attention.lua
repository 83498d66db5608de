-- Cross attention: queries of one sequence, keys and values of another, as the decoder of "Attention Is All You Need"
-- looks at its source, or an image model at a text of 77 tokens (Rombach et al., 2022, arXiv:2112.10752).
return {
  name = "cross_attention",
  d_model = 320,
  n_heads = 8,
  seq_len = "1..4096",         -- of queries: places of an image
  kv_seq_len = "1..77",        -- of keys and values: tokens of a text
  k_dim = 768,
  v_dim = 768,
  bias = { q = false, k = false, v = false, o = true },
}
