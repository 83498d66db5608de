-- ops/activations.lua: activations over rows, for blocks that ask for them.
local text = require "base.text"

-- Of one number %s in C, in double: a row of a sequence costs nothing.
local OF_A_NUMBER = {
  tanh = "(float)ga_tanh((double)%s)", gelu = "(float)ga_gelu((double)%s)", relu = "%s > 0.0f ? %s : 0.0f",
}

return {
  name = "activations",
  -- Asks for the C function that takes rows of `width` floats through the activation of that name: NAME_rows.
  ask = function(spec, name, width)
    spec.activates = spec.activates or { names = {}, widths = {} }
    spec.activates.names[name], spec.activates.widths[width] = true, true
  end,
  words = function(spec)
    local asked = spec.activates or { names = {}, widths = {} }
    return { activated_names = text.sorted_keys(asked.names), activated_widths = text.sorted_keys(asked.widths),
      activated = function(name, x) return (OF_A_NUMBER[name]:gsub("%%s", x)) end }
  end,
  on = function(spec) return spec.activates end,
}
