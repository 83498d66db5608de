-- hf/smollm3.lua: SmolLM3Model: LlamaModel with some layers whose attention has no positions.
local llama = require "import.hf.llama"

local fields = {
  { "rope_parameters.rope_theta", "rope.theta", also = "rope_scaling.rope_theta rope_theta", default = 2e6 },
  { "no_rope_layers", "layers.pattern", by = "plain_layers", also = "no_rope_layer_interval", default = 4 },
  { "no_rope_layers", "layers.kinds", by = "plain_kind", also = "no_rope_layer_interval", default = 4 },
}
for i = #llama.fields, 1, -1 do
  if llama.fields[i][2] ~= "rope.theta" then table.insert(fields, 1, llama.fields[i]) end
end

local requires = {
  { "use_sliding_window", false, "all layers see the same keys" },
  { "layer_types", "full_attention", "all layers see the same keys", each = true },
}
for _, row in ipairs(llama.requires) do requires[#requires + 1] = row end

local ignores = { { "of use_sliding_window", "sliding_window max_window_layers" } }
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

local logits = llama.architectures.LlamaForCausalLM

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = llama.fixed, requires = requires,
  ignores = ignores, unread = llama.unread, base = "SmolLM3Model",
  architectures = {
    SmolLM3Model = llama.architectures.LlamaModel,
    SmolLM3ForCausalLM = { fixed = logits.fixed,
      fields = { { "tie_word_embeddings", "logits.tied", default = true } } },
  },
}
