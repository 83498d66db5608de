-- ViT-B/16 (Dosovitskiy et al., 2020, arXiv:2010.11929) after its patches: rows are the class token and 14 x 14
-- projected patches, which the caller gives as `x`; the first row of the last layer is the vector of the image.
return {
  kind = "encoder",
  name = "vit",
  d_model = 768,
  n_heads = 12,
  d_ff = 3072,
  n_layers = 12,
  seq_len = 197,               -- always as many: all loops have literal bounds
  mask = { lengths = false },
  positions = { kind = "learned", rows = 197 },
  norm = { place = "pre", eps = 1e-12 },
  ffn = { activation = "gelu" },
  pool = { kind = "cls" },
  weights = "vit",
}
