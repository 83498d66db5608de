-- Golden: a layer with wisdom, tiny_tuned.wisdom; what is to be seen are lower tiles, fewer panels and no prefetching.
return {
  name = "tiny_tuned",
  d_model = 40,
  n_heads = 2,
  seq_len = "1..24",
  mask = { lengths = false },
}
