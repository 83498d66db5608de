-- nomic_bert: a whole NomicBertModel, whose code comes with its folders (nomic-embed-text-v1.5): q, k and v in one
-- weight, and a gated feed-forward whose second linear is the gate.
return {
  embedding = "embeddings.word_embeddings.weight",
  token_types = "embeddings.token_type_embeddings.weight",
  embedding_norm_weight = "emb_ln.weight",
  embedding_norm_bias = "emb_ln.bias",
  layer = "encoder.layers.%d.",
  qkv_weight = "attn.Wqkv.weight",
  qkv_bias = "attn.Wqkv.bias",
  o_weight = "attn.out_proj.weight",
  o_bias = "attn.out_proj.bias",
  attention_norm_weight = "norm1.weight",
  attention_norm_bias = "norm1.bias",
  up_weight = "mlp.fc11.weight",
  up_bias = "mlp.fc11.bias",
  gate_weight = "mlp.fc12.weight",
  gate_bias = "mlp.fc12.bias",
  down_weight = "mlp.fc2.weight",
  down_bias = "mlp.fc2.bias",
  ffn_norm_weight = "norm2.weight",
  ffn_norm_bias = "norm2.bias",
}
