-- plan/transformer.lua: an encoder and a decoder as one model: the plans of both, and where their weights lie.
local kernels = require "plan.kernels"
local packed = require "plan.packed"
local stack = require "plan.stack"

local transformer = {}

-- of_model: as plan.start has it.
function transformer.make(spec, set, of_model)
  local p = { spec = spec, isa = set, prefix = spec.name .. "__" .. set.name, products = {}, families = {},
    kernels = of_model or kernels.new(spec.name, set, spec.wisdom) }
  p.encoder, p.decoder = stack.make(spec.encoder_spec, set, p.kernels), stack.make(spec.decoder_spec, set, p.kernels)
  for _, side in ipairs({ p.encoder, p.decoder }) do
    for _, f in ipairs(side.families) do p.families[#p.families + 1] = f end
  end
  p.packed = packed.new()
  for _, side in ipairs({ "encoder", "decoder" }) do packed.add_bytes(p.packed, side, p[side].packed.bytes) end
  p.attention = p.decoder.attention -- whose keys a cache holds
  return p
end

return transformer
