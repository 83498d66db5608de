-- weights_dtype.lua: the element type in which the weights of linears are kept once packed. Kernels unpack them as they
-- load them; biases, norms, tables, rows and results stay f32.
local fmt = require "base.fmt"
local formats = require "formats"
local types = require "schema.types"

local SENTENCE = "weights of linears are kept as %s, %s, and read as floats; all else is f32"

-- What a weight takes.
local function size(name)
  local t = formats.of_weights(name)
  if not t.group then return ("%d bytes each"):format(t.bytes) end
  return ("%s bits each with what a group of %d shares"):format(fmt.fixed(t.column_bytes * 8 / t.group, 2), t.group)
end

return {
  name = "weights_dtype",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "weights_dtype", flag = "--weights-dtype", check = types.choice(formats.weights()), default = "f32",
      help = "element type of packed weights of linears; int8 and int4: in groups of 32 with a scale",
      group = "weights", example = 'weights_dtype = "f32"' },
  },
  resolve = function(spec, fail)
    spec.weights_dtype = spec.weights_dtype or "f32"
    if spec.weights_dtype ~= "f32" and spec.kind == "sdpa" then
      fail(('weights_dtype ("%s") is given, but kind = "sdpa" has no weights'):format(spec.weights_dtype))
    end
    -- What is rounded are the weights as a file has them, and not those times the scale of scores.
    spec.needs_unscaled_q = spec.needs_unscaled_q or spec.weights_dtype ~= "f32"
  end,
  sentence = function(spec)
    return spec.weights_dtype ~= "f32" and SENTENCE:format(spec.weights_dtype, size(spec.weights_dtype)) or nil
  end,
}
