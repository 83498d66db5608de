-- ops/unrotated_layers.lua: layers whose attention has no positions (NoPE), in a stack with rotary ones. Each
-- layer has a table of angles of its own in the packed weights; theirs are all 0. No code differs.
local text = require "base.text"
local types = require "schema.types"

local MOST_LAYERS = 512

local function check(spec, fail)
  if spec.kind ~= "encoder" then
    fail(('rope.skipped_layers is given, but kind = "%s" is not "encoder"'):format(spec.kind))
  elseif not spec.rope or not spec.rope.layout then
    fail("rope.skipped_layers is given, but there is no rope.layout that other layers have")
  end
  for _, layer in ipairs(spec.rope.skipped_layers) do
    if layer ~= math.floor(layer) or layer >= spec.n_layers then
      fail(("rope.skipped_layers names %s, but layers go from 0 to %d"):format(types.shown(layer), spec.n_layers - 1))
    end
  end
end

-- Whether each layer is one, in order.
local function flags(spec)
  local list = {}
  for i = 1, spec.n_layers do list[i] = false end
  for _, layer in ipairs(spec.rope.skipped_layers) do list[layer + 1] = true end
  return list
end

return {
  name = "unrotated_layers",
  fields = {
    { field = "rope.skipped_layers", check = types.numbers(0, MOST_LAYERS - 1, MOST_LAYERS), default = "none",
      group = "positions", help = "layers, counted from 0, whose attention has no positions",
      example = 'kind = "encoder", n_layers = 4, rope = { layout = "half_split", skipped_layers = { 3 } }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.rope or not spec.rope.skipped_layers then return end
    check(spec, fail)
    spec.unrotated = flags(spec)
  end,
  on = function(spec) return spec.unrotated end,
  sentence = function(spec)
    if not spec.unrotated then return nil end
    local numbers = {}
    for i, layer in ipairs(spec.rope.skipped_layers) do numbers[i] = ("%d"):format(layer) end
    return ("no positions in layer%s %s"):format(#numbers == 1 and "" or "s", text.join(numbers))
  end,
}
