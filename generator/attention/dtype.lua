-- dtype.lua: what the linears of layers multiply: floats, or integers that rows and weights are rounded to. What goes in
-- and comes out, sums, scores, softmax, norms, residuals and all other linears stay f32.
local arithmetic = require "arithmetic"
local types = require "schema.types"

local SENTENCES = {
  i16 = "linears of layers multiply rows of 14 bits by weights of up to 16, in sums of 64 products",
  int8 = "linears of layers multiply rows of 8 bits, each of a range of its own, by weights of 8 bits",
}

local function check(spec, fail)
  if spec.kind == "sdpa" then
    fail(('dtype = "%s" is given, but kind = "sdpa" has no linears'):format(spec.dtype))
  elseif spec.shared_heads then
    fail(('dtype = "%s" is given, but linears whose weights all heads share multiply floats alone'):format(spec.dtype))
  elseif spec.weights_dtype and spec.weights_dtype ~= "f32" then
    fail(('weights_dtype = "%s" is given, but dtype = "%s" says what weights are'):format(spec.weights_dtype,
      spec.dtype))
  end
end

return {
  name = "dtype",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "dtype", flag = "--dtype", value = table.concat(arithmetic.names(), "|"),
      check = types.choice(arithmetic.names(), { "bf16" }), parse = function(word) return word end, default = "f32",
      help = "what the linears of layers multiply: floats, or integers that rows and weights are rounded to",
      group = "build", example = 'dtype = "int8"' },
  },
  resolve = function(spec, fail)
    spec.dtype = spec.dtype or "f32"
    if spec.dtype ~= "f32" then check(spec, fail) end
  end,
  sentence = function(spec)
    return SENTENCES[spec.dtype]
  end,
}
