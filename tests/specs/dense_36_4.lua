-- test: every_line, wheels, programs
-- An encoder of sentences as LaBSE and EmbeddingGemma are built: its mean goes through linears of other widths, one of
-- them without a bias, and becomes a vector of length one.
return {
  kind = "encoder",
  name = "dense_36_4",
  d_model = 36,
  n_heads = 4,
  d_ff = 44,
  n_layers = 1,
  seq_len = "1..40",
  vocab_size = 50,
  text_input = { prompts = { "query=cat ", "passage=a%20dog ", "cluster=" } }, -- of tests/program/program_prompts.lua
  positions = { kind = "learned" },
  pool = { kind = "mean", normalize = true, similarity = "euclidean" },
  dense = { sizes = { 70, 29, 23 }, activation = { "gelu", "tanh", "relu" }, bias = { true, false, true } },
}
