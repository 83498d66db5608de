-- maps/with_biases.lua: a map -> the same with other names, each of a weight and of its bias: { q = "attn_q" } stands
-- for q_weight, which is attn_q.weight, and q_bias.
return function(of, names)
  local map = {}
  for role, tensor in pairs(of) do map[role] = tensor end
  for role, name in pairs(names) do
    map[role .. "_weight"], map[role .. "_bias"] = name .. ".weight", name .. ".bias"
  end
  return map
end
