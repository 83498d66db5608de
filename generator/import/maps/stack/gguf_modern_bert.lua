-- gguf_modern_bert: a whole ModernBertModel as llama.cpp names its tensors, with one weight for q, k and v and one for
-- gate and up.
return {
  on_demand = true,
  embedding = "token_embd.weight",
  embedding_norm_weight = "token_embd_norm.weight",
  layer = "blk.%d.",
  qkv_weight = "attn_qkv.weight",
  o_weight = "attn_output.weight",
  attention_norm_weight = "attn_norm.weight",
  gate_up_weight = "ffn_up.weight",
  down_weight = "ffn_down.weight",
  ffn_norm_weight = "ffn_norm.weight",
  final_norm_weight = "output_norm.weight",
}
