-- linear_dtype.lua: what a dtype goes with: it is the arithmetic of the linears of layers. What goes in and comes out,
-- sums, scores, softmax, norms, residuals and all other linears stay f32.
local SENTENCES = {
  i16 = "linears of layers multiply rows of 15 bits by weights of up to 16, in sums of 128 products",
  int8 = "linears of layers multiply rows of 8 bits by weights of 8 bits, in sums of 256 products",
}

local function check(spec, fail)
  local given = ('dtype = "%s" is given, but '):format(spec.dtype)
  if spec.kind == "sdpa" then
    fail(given .. 'kind = "sdpa" has no linears')
  elseif spec.n_layers == 0 then
    fail(given .. "n_layers = 0 leaves no linears of layers")
  elseif spec.shared_heads then
    fail(given .. "linears whose weights all heads share multiply floats alone")
  elseif spec.weights_dtype ~= "f32" then
    fail(given .. ('weights_dtype = "%s" is of linears that multiply floats'):format(spec.weights_dtype))
  end
end

return {
  name = "linear_dtype",
  resolve = function(spec, fail)
    if spec.dtype ~= "f32" then check(spec, fail) end
  end,
  sentence = function(spec)
    return SENTENCES[spec.dtype]
  end,
}
