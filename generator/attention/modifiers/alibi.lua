-- alibi.lua: each head subtracts its slope times the distance from a key to the query's own place (ALiBi, as BLOOM and
-- MPT have it). Computed in registers while a row is in L1; there is no table and no longest length.
local elementary = require "base.elementary"
local types = require "schema.types"

-- The slopes of the paper for a power of two of heads fall by equal factors to 2^-8. Other numbers of heads take every
-- second slope of the next power of two first, from its second on, and then those between.
local function slopes(n_heads)
  local power = 1
  while power < n_heads do power = power * 2 end
  local list = {}
  for from = power == n_heads and 1 or 2, 1, -1 do
    for i = from, power, power == n_heads and 1 or 2 do list[#list + 1] = elementary.exp2(-8 * i / power) end
  end
  for i = #list, n_heads + 1, -1 do list[i] = nil end
  return list
end

return {
  name = "alibi",
  fields = {
    { field = "alibi", flag = "--alibi", check = types.boolean, implied = "yes", default = "no",
      help = "ALiBi: each head subtracts its slope times the distance of the key from the score",
      group = "positions", example = "mask = { causal = true }, alibi = true" },
  },
  resolve = function(spec)
    spec.alibi_slopes = spec.alibi and slopes(spec.n_heads) or nil
  end,
  score_order = "bias",
  after = { "causal" },
  by_distance = true,
  on = function(spec) return spec.alibi end,
  properties = function() return { { "alibi", true } } end,
  sentence = function(spec)
    if not spec.alibi then return nil end
    return "ALiBi: scores fall with the distance of the key" .. (spec.causal and "" or ", to both sides")
  end,
}
