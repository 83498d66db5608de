-- hf/gpt_neox.lua: GPTNeoXModel (Pythia): causal, norms before blocks, which both read the same rows unless
-- use_parallel_residual says otherwise, and rotary positions of a part of each head.
local common = require "import.hf.common"

local fields = {
  { "hidden_size", "d_model" },
  { "num_attention_heads", "n_heads" },
  { "num_hidden_layers", "n_layers" },
  { "intermediate_size", "d_ff" },
  { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
  { "attention_bias", "bias", default = true },
  { "use_parallel_residual", "layer.parallel", default = true },
  { "layer_norm_eps", "norm.eps", default = 1e-5 },
  { "vocab_size", "vocab_size" },
  { "max_position_embeddings", "seq_len", by = "up_to" },
  { "rope_parameters.partial_rotary_factor", "rope.rotary_dim", by = "rotary_dim", also = "rotary_pct",
    default = 0.25 },
  { "rope_parameters.rope_theta", "rope.theta", also = "rope_scaling.rope_theta rotary_emb_base", default = 10000 },
}
for i = 2, #common.rotary_fields do fields[#fields + 1] = common.rotary_fields[i] end

return {
  maps = { "gpt_neox" },
  prefixes = { "", "gpt_neox." },
  fields = fields,
  fixed = {
    { "kind", "encoder" }, { "mask.causal", true }, { "rope.layout", "half_split" }, { "norm.kind", "layer" },
    { "norm.place", "pre" },
  },
  requires = common.rotary_requires,
  ignores = {
    { "the mask is causal anyway", "is_decoder" },
    { "dropout is for training", "attention_dropout hidden_dropout" },
    { "transformers reads rotary_emb_base and rotary_pct", "rope_theta partial_rotary_factor" },
  },
  base = "GPTNeoXModel",
  architectures = {
    GPTNeoXModel = {},
    GPTNeoXForCausalLM = {
      fixed = { { "logits.kind", "linear" } },
      fields = { { "tie_word_embeddings", "logits.tied", default = false } },
    },
  },
  unread = {
    { "a mask of ones, which is not learned", "layers.*.attention.bias layers.*.attention.masked_bias" },
    { "made from rotary_emb_base", "layers.*.attention.rotary_emb.inv_freq" },
    { "the embedding once more", "embed_out", where = { "logits.tied", true } },
    { "a head that is not asked for", "embed_out" },
  },
}
