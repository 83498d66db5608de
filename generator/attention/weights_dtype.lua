-- weights_dtype.lua: the element type in which the weights of linears are kept once packed. Kernels make floats of them
-- as they load them; biases, norms, tables and all arithmetic stay f32.
local dtype = require "dtype"
local types = require "schema.types"

local SENTENCE = "weights of linears are kept as %s, %d bytes each, and read as floats; all else is f32"

return {
  name = "weights_dtype",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "weights_dtype", flag = "--weights-dtype", value = table.concat(dtype.names(), "|"),
      check = types.choice(dtype.names()), parse = function(word) return word end, default = "f32",
      help = "element type in which the weights of linears are packed, rounded to nearest",
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
    return spec.weights_dtype ~= "f32" and SENTENCE:format(spec.weights_dtype, dtype.get(spec.weights_dtype).bytes) or
      nil
  end,
}
