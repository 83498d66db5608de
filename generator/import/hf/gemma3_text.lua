-- hf/gemma3_text.lua: Gemma3TextModel: Gemma2Model with norms of each head of q and k, other angles in layers with a
-- window, and no caps but one of logits that the file says. Positions of layers with a window are not scaled. With
-- use_bidirectional_attention, rows see later ones.
local common = require "import.hf.common"
local gemma2 = require "import.hf.gemma2"

local NEAR = "rope_parameters.sliding_attention."
local OWN = { ["layers.pattern"] = true, ["layers.kinds"] = true, ["mask.causal"] = true }
local fields = {}
for _, row in ipairs(gemma2.fields) do
  local field = row[2] or ""
  if not OWN[field] and not field:find("^rope%.") and row[1] ~= "attn_logit_softcapping" then
    fields[#fields + 1] = row
  end
end
for _, row in ipairs(common.of_full_attention(common.rotary_fields)) do
  if row[2] ~= "rope.theta" then fields[#fields + 1] = row end
end
for _, row in ipairs({
  { "rms_norm_eps", "qk_norm.eps", default = 1e-6 },
  { "use_bidirectional_attention", "mask.causal", by = "absent", default = false },
  { "rope_theta", "rope.theta", also = "rope_parameters.full_attention.rope_theta", default = 1e6 },
  { "rope_local_base_freq", also = NEAR .. "rope_theta", default = 10000,
    use = "rope.theta of layers with a window" },
  { "layer_types", "layers.pattern", by = "layer_types", also = "sliding_window_pattern _sliding_window_pattern",
    default = 6 },
  { "sliding_window", "layers.kinds", by = "near_kind", theta = "rope_local_base_freq", is_unscaled = true,
    default = 4096, null = false },
}) do
  fields[#fields + 1] = row
end

local requires = common.of_full_attention(common.rotary_requires)
for _, row in ipairs({
  { "attn_logit_softcapping", nil, "scores are not capped" },
  { NEAR .. "rope_type", "default", "rotary positions of layers with a window are not scaled", alone = true },
}) do
  requires[#requires + 1] = row
end

local logits = gemma2.architectures.Gemma2ForCausalLM

local gemma3 = common.like(gemma2, "Gemma2", "Gemma3Text", {
  fixed = { { "qk_norm.kind", "rms" }, { "qk_norm.unit_offset", true } },
})
gemma3.fields, gemma3.requires = fields, requires
gemma3.architectures = {
  Gemma3TextModel = {},
  Gemma3ForCausalLM = {
    fixed = logits.fixed,
    fields = { logits.fields[1], { "final_logit_softcapping", "logits.softcap", optional = true } },
  },
}
return gemma3
