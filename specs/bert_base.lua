-- BERT base, uncased (Devlin et al., 2018, arXiv:1810.04805), without its pooler. `./configure --from-hf DIR` writes
-- such a spec of the folder of any model that it knows.
return {
  kind = "encoder",
  name = "bert_base",
  d_model = 768,
  n_heads = 12,
  d_ff = 3072,
  n_layers = 12,
  vocab_size = 30522,
  token_types = 2,
  positions = { kind = "learned", rows = 512 },
  embedding = { norm = true },
  norm = { eps = 1e-12 },              -- after each residual
  ffn = { activation = "gelu" },
  weights = "bert",                    -- bert_gamma for files of BERT's first years
}
