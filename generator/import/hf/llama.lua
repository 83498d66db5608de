-- hf/llama.lua: LlamaModel: causal unless is_causal says otherwise, RMSNorm before blocks, rotary positions, a gated
-- feed-forward, shared key heads.

local common = require "import.hf.common"

local fields = {
  { "hidden_size", "d_model" },
  { "num_attention_heads", "n_heads" },
  { "num_key_value_heads", "n_kv_heads", optional = true },
  { "head_dim", "d_head", optional = true },
  { "num_hidden_layers", "n_layers" },
  { "intermediate_size", "d_ff" },
  { "hidden_act", "ffn.activation", by = "activation", default = "silu" },
  { "attention_bias", "bias", default = false },
  { "mlp_bias", "ffn.bias", default = false },
  { "rms_norm_eps", "norm.eps", default = 1e-6 },
  { "is_causal", "mask.causal", default = true },
  { "vocab_size", "vocab_size" },
  { "max_position_embeddings", "seq_len", by = "up_to" },
}
for _, row in ipairs(common.rotary_fields) do fields[#fields + 1] = row end

local requires = {
  { "partial_rotary_factor", 1, "all of a head turns" },
  { "rope_parameters.partial_rotary_factor", 1, "all of a head turns" },
  { "rope_interleaved", false, "dimension i turns with i + d_head / 2" },
  { "pretraining_tp", 1, "products are not cut in parts" },
}
for _, row in ipairs(common.rotary_requires) do requires[#requires + 1] = row end

return {
  maps = { "llama" },
  prefixes = { "", "model." },
  fields = fields,
  fixed = {
    { "kind", "encoder" }, { "rope.layout", "half_split" }, { "norm.kind", "rms" },
    { "norm.place", "pre" }, { "ffn.gated", true },
  },
  requires = requires,
  ignores = {
    { "the mask is causal anyway", "is_decoder" },
    { "dropout is for training", "attention_dropout" },
    { "what made the file", "is_llama_config" },
  },
  base = "LlamaModel",
  architectures = {
    LlamaModel = {},
    LlamaForCausalLM = {
      fixed = { { "logits.kind", "linear" } },
      fields = { { "tie_word_embeddings", "logits.tied", default = false } },
    },
  },
  unread = {
    { "made from rope_theta", "layers.*.self_attn.rotary_emb.inv_freq" },
    { "the embedding once more", "lm_head", where = { "logits.tied", true } },
    { "a head that is not asked for", "lm_head" },
  },
}
