-- hf/gpt2.lua: GPT2Model: causal, norms before blocks and one after the last, learned positions.
return {
  maps = { "gpt2" },
  prefixes = { "", "transformer." },
  fields = {
    { "n_embd", "d_model" },
    { "n_head", "n_heads" },
    { "n_layer", "n_layers" },
    { "n_inner", "d_ff", optional = true }, -- null: 4 n_embd, as a spec has it
    { "activation_function", "ffn.activation", by = "activation", default = "gelu_new" },
    { "layer_norm_epsilon", "norm.eps", default = 1e-5 },
    { "vocab_size", "vocab_size" },
    { "n_positions", "positions.rows" },
    { "n_positions", "seq_len", by = "up_to" },
    { "scale_attn_weights", "scale", by = "scaled", default = true },
  },
  fixed = {
    { "kind", "encoder" }, { "mask.causal", true }, { "positions.kind", "learned" }, { "norm.kind", "layer" },
    { "norm.place", "pre" },
  },
  requires = {
    { "scale_attn_by_inverse_layer_idx", false, "all layers share their code, and their scale" },
    { "reorder_and_upcast_attn", false, "scores are scaled after the product" },
  },
  ignores = {
    { "the mask is causal anyway", "is_decoder" },
    { "dropout is for training", "resid_pdrop embd_pdrop attn_pdrop" },
    { "n_positions under another name", "n_ctx" },
    { "a head's", [[summary_type summary_use_proj summary_activation summary_proj_to_labels summary_first_dropout]] },
  },
  base = "GPT2Model",
  architectures = {
    GPT2Model = {},
    GPT2LMHeadModel = {
      fixed = { { "logits.kind", "linear" } },
      fields = { { "tie_word_embeddings", "logits.tied", default = true } },
    },
  },
  unread = {
    { "a mask of ones, which is not learned", "h.*.attn.bias h.*.attn.masked_bias" },
    { "the embedding once more", "lm_head", where = { "logits.tied", true } },
    { "a head that is not asked for", "lm_head" },
  },
}
