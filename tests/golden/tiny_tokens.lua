-- Golden: token ids through an embedding, key heads shared by pairs of query heads, causal at the end of the keys,
-- softmax weights as an output, and weights under names of the spec's own.
return {
  name = "tiny_tokens",
  d_model = 8,
  n_heads = 4,
  seq_len = "1..6",
  unroll = 1,
  n_kv_heads = 2,
  mask = { causal = "bottom_right" },
  outputs = { "attention" },
  vocab_size = 11,
  weights = {
    embedding = "tokens.table",
    qkv_weight = "attn.c_attn.weight", qkv_bias = "attn.c_attn.bias",
    o_weight = "attn.c_proj.weight", o_bias = "attn.c_proj.bias",
    transposed = true,
  },
}
