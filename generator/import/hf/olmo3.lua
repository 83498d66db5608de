-- hf/olmo3.lua: Olmo3Model: Olmo2Model with a window in the layers that layer_types says. Rotary positions of these are
-- not scaled. Since transformers 5, rope_parameters has a table for each of both types of layers.
local common = require "import.hf.common"
local olmo2 = require "import.hf.olmo2"

local fields = common.of_full_attention(olmo2.fields)
local NEAR = "rope_parameters.sliding_attention."
for _, row in ipairs({
  { NEAR .. "rope_theta", optional = true, quiet = true, use = "rope.theta of layers with a window" },
  { "layer_types", "layers.pattern", by = "layer_types", default = 4 },
  { "sliding_window", "layers.kinds", by = "near_kind", theta = NEAR .. "rope_theta", is_unscaled = true,
    default = 4096 },
}) do
  fields[#fields + 1] = row
end

local requires = {
  { NEAR .. "rope_type", "default", "rotary positions of layers with a window are not scaled", alone = true },
}
for _, row in ipairs(olmo2.requires) do requires[#requires + 1] = row end

return {
  maps = olmo2.maps, prefixes = olmo2.prefixes, fields = fields, fixed = olmo2.fixed, requires = requires,
  ignores = olmo2.ignores, unread = olmo2.unread, base = "Olmo3Model",
  architectures = {
    Olmo3Model = olmo2.architectures.Olmo2Model, Olmo3ForCausalLM = olmo2.architectures.Olmo2ForCausalLM,
  },
}
