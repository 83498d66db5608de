-- hf/olmo3.lua: Olmo3Model: Olmo2Model with a window in the layers that layer_types says. Rotary positions of these are
-- not scaled. Since transformers 5, rope_parameters has a table for each of both types of layers.
local common = require "import.hf.common"
local olmo2 = require "import.hf.olmo2"

local NEAR = "rope_parameters.sliding_attention."

local olmo3 = common.like(olmo2, "Olmo2", "Olmo3", {
  requires = {
    { NEAR .. "rope_type", "default", "rotary positions of layers with a window are not scaled", alone = true },
  },
})
olmo3.fields = common.of_full_attention(olmo2.fields)
for _, row in ipairs({
  { NEAR .. "rope_theta", optional = true, quiet = true, use = "rope.theta of layers with a window" },
  { "layer_types", "layers.pattern", by = "layer_types", default = 4 },
  { "sliding_window", "layers.kinds", by = "near_kind", theta = NEAR .. "rope_theta", is_unscaled = true,
    default = 4096 },
}) do
  olmo3.fields[#olmo3.fields + 1] = row
end
return olmo3
