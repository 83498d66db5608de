-- gguf/common.lua: what the metadata of a GGUF file may hold whatever its architecture: what they must say where they
-- say anything, and what does not change the numbers that a model gives. Each key has the architecture's name before
-- it; fields in (tensors) are no keys, but what the file's tensors tell.
local common = {}

common.of_all = {
  default_of = "llama.cpp's", -- whose defaults a data file's are
  requires = {},
  changes = {},
  -- Why, and the keys.
  ignores = {
    { "what the file is", "general quantize" },
    { "of how many files it is one, all of which are read", "split" },
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
      for _, other in ipairs({ "key", "theta" }) do
        if row[other] then named[other] = architecture .. "." .. row[other] end
      end
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

-- A row about scaled rotary positions. Conversions read the factor by its key.
local function scaled(key, field, by, more)
  local row = { key, "rope." .. field, by = by, optional = true, quiet = true, key = "rope.scaling.factor" }
  for name, value in pairs(more or {}) do row[name] = value end
  return row
end

-- Scaled rotary positions. A factor of 1 scales nothing, whatever the other keys say.
local ROTARY_FIELDS = {
  scaled("rope.scaling.type", "scaling", "ggml_scaling"),
  scaled("(tensors).rope_factors", "scaling", "ggml_divided"),
  scaled("rope.scaling.factor", "factor", "ggml_factor"),
  scaled("context_length", "original_positions", "ggml_original"),
  scaled("rope.scaling.original_context_length", "original_positions", "ggml_original"),
  scaled("rope.scaling.attn_factor", "attention_factor", "ggml_attention"),
  scaled("rope.scaling.yarn_beta_fast", "fast_turns", "of_yarn"),
  scaled("rope.scaling.yarn_beta_slow", "slow_turns", "of_yarn"),
  scaled("rope.scaling.yarn_ext_factor", "scaling", "fixed_of_yarn", { must = 1 }),
  scaled("rope.scaling.yarn_attn_factor", "scaling", "fixed_of_yarn", { must = 1 }),
  scaled("rope.scaling.yarn_log_multiplier", "scaling", "fixed_of_yarn", { must = 0 }),
  scaled("(tensors).rope_divisors", "divisors"),
  scaled("(tensors).rope_long_divisors", "long_divisors"),
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
  { "pooling_type", "pool.kind", by = "ggml_pool", optional = true, quiet = true },
  { "(tensors).output", "logits.kind", by = "unless_pooled", as = "linear" },
  { "(tensors).output", "logits.tied", by = "unless_pooled" },
}

local DECODER_FIXED = {
  { "kind", "encoder" }, { "mask.causal", true }, { "norm.kind", "rms" }, { "norm.place", "pre" },
  { "ffn.gated", true }, { "ffn.activation", "silu" },
}

local DECODER_REQUIRES = {
  { "rope.scale_linear", 1, "rope.scaling says how rotary positions are scaled" },
  { "expert_count", 0, "the feed-forward is one" },
  { "expert_used_count", 0, "the feed-forward is one" },
  { "attention.sliding_window", nil, "all layers see the same keys" },
  { "attention.causal", true, "a row sees no later one" },
  { "use_parallel_residual", false, "a layer's blocks come one after the other" },
  { "logit_scale", nil, "logits are not scaled" },
  { "attention.clamp_kqv", nil, "q, k and v are as the linears give them" },
}

-- The key that a decoder takes whose layers may have a window.
common.WINDOW = { ["attention.sliding_window"] = true }

-- Rows without those whose key is in a set (nil: empty).
local function without(rows, left_out)
  local kept = {}
  for _, row in ipairs(rows) do
    if not (left_out or {})[row[1]] then kept[#kept + 1] = row end
  end
  return kept
end

-- The data of such a decoder. more: its own rows of `fixed`, which go before those of all decoders, and if it has any,
-- of `fields` and `requires`; `maps`, if its tensors have other names; `takes`, the set of keys that have a fixed value
-- in other decoders.
function common.decoder(architecture, more)
  local fixed, own = {}, {}
  for i, row in ipairs(more.fixed) do fixed[i], own[row[1]] = row, true end
  for _, row in ipairs(without(DECODER_FIXED, own)) do fixed[#fixed + 1] = row end
  return {
    common = common.of_all, maps = more.maps or { "gguf" }, prefixes = { "" },
    fields = common.named(architecture, common.fields, DECODER_FIELDS, ROTARY_FIELDS, more.fields or {}), fixed = fixed,
    requires = common.named(architecture, without(DECODER_REQUIRES, more.takes), more.requires or {}), ignores = {
      { "how it was trained", architecture .. ".rope.scaling.finetuned" },
    },
    base = architecture, architectures = { [architecture] = {} },
    unread = { { "in the spec", "rope_freqs rope_factors_long rope_factors_short" },
      { "logits that pooling leaves out", "output", where = { "logits" } } },
  }
end

return common
