-- ops/activations.lua: activations over rows, for blocks that ask for them.
local text = require "base.text"

return {
  name = "activations",
  -- Asks for the C function that takes rows of `width` floats through the activation of that name: NAME_rows.
  ask = function(spec, name, width)
    spec.activates = spec.activates or { names = {}, widths = {} }
    spec.activates.names[name], spec.activates.widths[width] = true, true
  end,
  words = function(spec)
    local asked = spec.activates or { names = {}, widths = {} }
    return { activated_names = text.sorted_keys(asked.names), activated_widths = text.sorted_keys(asked.widths) }
  end,
  on = function(spec) return spec.activates end,
}
