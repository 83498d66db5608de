-- blocks/layers.lua: a whole model as a stack of layers: which kinds there are, how many layers, and what of a spec's
-- fields a layer's attention takes. The attention itself is a part of its own (spec/parts.lua), generated as any layer.
local types = require "spec.types"

-- Fields of one attention layer that a stack fills itself.
local OF_ONE_LAYER = {
  "projections", "heads", "k_dim", "v_dim", "d_v", "d_out", "outputs", "mask.tensor", "mask_fill", "masked_row",
  "add_bias_kv", "add_zero_attn", "sinks",
}

local function given(spec, field)
  for _, entry in ipairs(spec.given) do
    if entry.field == field or entry.field:match("^" .. field .. "%.") then return true end
  end
  return false
end

-- An activation behind the output projection would stand between attention and the residual.
local function check_output_activation(spec, fail)
  if spec.activation and spec.activation.o then
    fail(('activation names o, but with kind = "%s" the output projection\'s result joins the residual'):format(
      spec.kind))
  end
end

return {
  name = "layers",
  fields = {
    { field = "n_layers", flag = "--layers", value = "N", check = types.count(1, 1024), parse = types.to_number,
      required = function(raw) return raw.kind == "encoder" or raw.kind == "decoder" end, default = "6",
      help = "layers of an encoder or a decoder" },
  },
  resolve = function(spec, fail)
    if not spec.stack then return end
    for _, field in ipairs(OF_ONE_LAYER) do
      if given(spec, field) then
        fail(('%s is given, but kind = "%s" is a stack of layers, which does without it'):format(field, spec.kind))
      end
    end
    if spec.kind == "encoder" and given(spec, "kv_seq_len") then
      fail('kv_seq_len is given, but kind = "encoder" has no other sequence than its own')
    end
    check_output_activation(spec, fail)
  end,
  sentence = function(spec)
    if not spec.stack then return nil end
    return ("%d layers of one shape, which share their code"):format(spec.n_layers)
  end,
}
