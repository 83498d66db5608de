-- blocks/layers.lua: a whole model as a stack of layers: which kinds there are, how many layers, and what of a spec's
-- fields a layer's attention takes. The attention itself is a part of its own (spec/parts.lua), generated as any layer.
local types = require "spec.types"

-- Fields of one attention layer that a stack fills itself.
local OF_ONE_LAYER = {
  "projections", "heads", "k_dim", "v_dim", "d_v", "d_out", "outputs", "mask.tensor", "mask_fill", "masked_row",
  "add_bias_kv", "add_zero_attn", "sinks",
}

local MOST_LAYERS = 512 -- each map names each weight of each layer: megabytes of C from here on

local stack_kinds = { encoder = true, decoder = true, transformer = true }

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
    { field = "n_layers", flag = "--layers", value = "N", check = types.count(1, MOST_LAYERS), parse = types.to_number,
      required = function(raw) return stack_kinds[raw.kind] or false end, default = "6",
      help = "layers of an encoder, a decoder, or each of both" },
    { field = "n_decoder_layers", flag = "--decoder-layers", value = "N", check = types.count(1, MOST_LAYERS),
      parse = types.to_number, default = "as --layers", help = "layers of a transformer's decoder" },
    { field = "src_vocab_size", flag = "--src-vocab-size", value = "N", check = types.count(1, 16777216),
      parse = types.to_number, default = "as --vocab-size", help = "rows of a transformer's source embedding" },
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
    for _, field in ipairs(spec.kind ~= "transformer" and { "n_decoder_layers", "src_vocab_size" } or {}) do
      if given(spec, field) then
        fail(('%s is given, but kind = "%s" is not "transformer", which has two sides'):format(field, spec.kind))
      end
    end
    spec.n_decoder_layers = spec.n_decoder_layers or spec.n_layers
    spec.src_vocab_size = spec.src_vocab_size or spec.vocab_size
    check_output_activation(spec, fail)
  end,
  sentence = function(spec)
    if not spec.stack then return nil end
    if spec.kind == "transformer" then
      return ("an encoder of %d layers and a decoder of %d, the layers of each sharing their code"):format(
        spec.n_layers, spec.n_decoder_layers)
    end
    return ("%d layers of one shape, which share their code"):format(spec.n_layers)
  end,
}
