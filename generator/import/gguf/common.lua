-- gguf/common.lua: what the metadata of a GGUF file may hold whatever its architecture: what they must say where they
-- say anything, and what does not change the numbers that a model gives. Each key has the architecture's name before
-- it; fields in (tensors) are no keys, but what the file's tensors tell.
local common = {}

common.of_all = {
  default_of = "llama.cpp's", -- whose defaults a data file's are
  -- { key, the value it must have, why }
  requires = {
    { "split.count", 1, "one file holds all tensors: llama-gguf-split --merge makes one" },
  },
  changes = {},
  -- Why, and the keys.
  ignores = {
    { "what the file is", "general quantize split.no split.tensors" },
    { "the tokenizer's, which programs read from the file", "tokenizer" },
  },
}

-- Rows with the architecture's name before keys that have none. rows: lists of them.
function common.named(architecture, ...)
  local all = {}
  for _, rows in ipairs({ ... }) do
    for _, row in ipairs(rows) do
      local named = {}
      for key, value in pairs(row) do named[key] = value end
      if not row[1]:find("^%(tensors%)") then named[1] = architecture .. "." .. row[1] end
      all[#all + 1] = named
    end
  end
  return all
end

-- What all architectures have.
common.fields = {
  { "embedding_length", "d_model" },
  { "block_count", "n_layers" },
  { "feed_forward_length", "d_ff" },
  { "attention.head_count", "n_heads" },
  { "(tensors).vocabulary", "vocab_size" },
  { "vocab_size", "vocab_size", by = "same", as = "token_embd.weight has rows", optional = true },
  { "context_length", "seq_len", by = "up_to" },
}

-- What decoders with rotary positions and a gated feed-forward have besides.
local DECODER_FIELDS = {
  { "attention.head_count_kv", "n_kv_heads", optional = true },
  { "attention.key_length", "d_head", optional = true },
  { "attention.value_length", "d_head", by = "same", as = "attention.key_length", optional = true },
  { "attention.layer_norm_rms_epsilon", "norm.eps" },
  { "rope.freq_base", "rope.theta", default = 10000 },
  { "rope.dimension_count", "rope.rotary_dim", optional = true },
  { "(tensors).attention_biases", "bias", by = "biases" },
  { "(tensors).ffn_biases", "ffn.bias", by = "ffn_biases" },
  { "(tensors).output", "logits.tied", by = "absent" },
}

local DECODER_FIXED = {
  { "kind", "encoder" }, { "mask.causal", true }, { "norm.kind", "rms" }, { "norm.place", "pre" },
  { "ffn.gated", true }, { "ffn.activation", "silu" }, { "logits.kind", "linear" },
}

-- Kinds of scaling that a factor of 1 makes the identity, and what only such kinds read.
local IDLE = {
  kinds = "linear yarn",
  beside = "original_context_length finetuned yarn_log_multiplier yarn_ext_factor yarn_beta_fast yarn_beta_slow",
}

local DECODER_REQUIRES = {
  { "rope.scaling.type", "none", "rotary positions are not scaled", alone = true, idle = IDLE },
  { "rope.scale_linear", 1, "rotary positions are not scaled" },
  { "expert_count", 0, "the feed-forward is one" },
  { "expert_used_count", 0, "the feed-forward is one" },
  { "attention.sliding_window", nil, "all layers see the same keys" },
  { "attention.causal", true, "a row sees no later one" },
  { "use_parallel_residual", false, "a layer's blocks come one after the other" },
  { "logit_scale", nil, "logits are not scaled" },
  { "attention.clamp_kqv", nil, "q, k and v are as the linears give them" },
}

-- The data of such a decoder. more: fields, fixed that it has besides.
function common.decoder(architecture, more)
  local fixed = {}
  for _, rows in ipairs({ DECODER_FIXED, more.fixed }) do
    for _, row in ipairs(rows) do fixed[#fixed + 1] = row end
  end
  return {
    common = common.of_all, maps = { "gguf" }, prefixes = { "" },
    fields = common.named(architecture, common.fields, DECODER_FIELDS, more.fields or {}), fixed = fixed,
    requires = common.named(architecture, DECODER_REQUIRES), ignores = {},
    base = architecture, architectures = { [architecture] = {} },
    unread = {},
  }
end

return common
