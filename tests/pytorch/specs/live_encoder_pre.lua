-- nn.TransformerEncoder with norm_first and a causal mask, gelu, widths that end within vectors, and no final norm.
return {
  kind = "encoder",
  name = "live_encoder_pre",
  d_model = 45,
  n_heads = 3,
  d_ff = 70,
  n_layers = 2,
  seq_len = "1..70",
  mask = { causal = true },
  norm = { place = "pre", final = false },
  ffn = { activation = "gelu" },
}
