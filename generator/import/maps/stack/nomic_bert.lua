-- nomic_bert: a whole NomicBertModel, whose code comes with its folders (nomic-embed-text-v1.5): q, k and v in one
-- weight, and a gated feed-forward whose second linear is the gate.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embeddings.word_embeddings.weight",
  token_types = "embeddings.token_type_embeddings.weight",
  layer = "encoder.layers.%d.",
}, {
  embedding_norm = "emb_ln",
  qkv = "attn.Wqkv",
  o = "attn.out_proj",
  attention_norm = "norm1",
  up = "mlp.fc11",
  gate = "mlp.fc12",
  down = "mlp.fc2",
  ffn_norm = "norm2",
})
