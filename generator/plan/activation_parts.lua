-- activation_parts.lua: which functions activations of a vector consist of. Has no C: each of them is in
-- templates/attention/activation_<name>.c.lt.

-- In order, as a function calls those before it; of: the activations that need it.
local PARTS = {
  { name = "exp2_pair", of = { gelu = true, gelu_tanh = true, silu = true } },
  { name = "tanh", of = { tanh = true } },
  { name = "relu", of = { relu = true } },
  { name = "gelu", of = { gelu = true } },
  { name = "gate", of = { gelu_tanh = true, silu = true } },
  { name = "gelu_tanh", of = { gelu_tanh = true } },
  { name = "silu", of = { silu = true } },
}

local function is_needed(part, names)
  for _, name in ipairs(names) do
    if part.of[name] then return true end
  end
  return false
end

-- The names of the functions that activations of these names consist of, in order.
return function(names)
  local list = {}
  for _, part in ipairs(PARTS) do list[#list + 1] = is_needed(part, names) and part.name or nil end
  return list
end
