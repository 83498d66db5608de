-- maps/one_bias.lua: a map of a whole model with a transform before its logits -> the same where logits with a weight
-- of their own have the bias that tied ones have. A file with both biases is of the other map.
return function(of)
  local map, names = {}, of.transformed
  for role, tensor in pairs(of) do map[role] = tensor end
  map.transformed = { logits_weight = names.logits_weight, logits_bias = names.tied_bias, tied_bias = names.tied_bias }
  map.refuses = { logits_bias = names.logits_bias }
  map.varies, map.only_with = nil, { "logits_weight", "logits_dense_weight" }
  return map
end
