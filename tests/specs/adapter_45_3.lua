-- test: every_line
-- A low-rank pair beside the last linear of each feed-forward: odd widths, a gate, and a norm over what both add.
return {
  kind = "encoder",
  name = "adapter_45_3",
  d_model = 45,
  n_heads = 3,
  d_ff = 70,
  n_layers = 2,
  seq_len = "1..40",
  norm = { place = "sandwich" },
  ffn = { activation = "silu", gated = true, adapter_rank = 5, adapter_scale = 0.75 },
}
