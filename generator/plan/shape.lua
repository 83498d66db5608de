-- plan/shape.lua: what of a spec's shape a layer's code goes by, whatever the instruction set: which inputs are alike,
-- how weights lie, and where roles are. Holds no C text.
local shape = {}

-- How the weights of q, k and v lie: "alike" for heads of weights of one size, "own" where inputs differ in width
-- or dtype, "shared" where one set serves all heads.
local function weights_are(s, same_inputs)
  if s.shared_heads then return "shared" end
  local of = s.arithmetic_of
  return same_inputs and of.k == of.q and of.v == of.q and "alike" or "own"
end

-- A function from a role's name to its index.
local function role_index(s)
  return function(name)
    for i, role in ipairs(s.roles) do
      if role.name == name then return i - 1 end
    end
    error("no role is called " .. name)
  end
end

-- A function that says whether there is a role of that name.
function shape.has_role(s)
  local has = {}
  for _, role in ipairs(s.roles) do has[role.name] = true end
  return function(name) return has[name] or false end
end

-- Of a stack the index of the first role of a layer (0 where nil), how many roles it has, and a function from a role's
-- name in the layer to its index from the layer's first on (nil where there is none).
function shape.layer_roles(s, layer)
  local first, count, at = 0, 0, {}
  local pattern = ("^layers%%.%d%%.(.*)$"):format(layer or 0)
  for i, role in ipairs(s.roles) do
    local inner = role.name:match(pattern)
    if inner then
      if count == 0 then first = i - 1 end
      at[inner], count = count, count + 1
    end
  end
  return first, count, function(name) return at[name] end
end

-- How many roles each layer of a stack has but the first, which may have fewer.
function shape.roles_per_layer(s)
  local _, count = shape.layer_roles(s, math.min(1, s.n_layers - 1))
  return count
end

-- How many roles the first layer of a stack lacks, which are the last of other layers; nil for none.
function shape.lacks_first(s)
  local _, count = shape.layer_roles(s)
  local lacks = shape.roles_per_layer(s) - count
  return lacks > 0 and lacks or nil
end

-- form: what attention is given, "given" heads or what "linear"s make; key_ranges_differ: whether rows of a tile may
-- see different keys; begins_late: whether ranges of keys may begin after the first.
function shape.of(s)
  local same_inputs = s.k_dim == s.d_model and s.v_dim == s.d_model
  return {
    form = s.kind == "sdpa" and "given" or "linear", same_inputs = same_inputs,
    weights_are = weights_are(s, same_inputs), key_ranges_differ = s.causal ~= false or s.key_lower_bound,
    begins_late = s.key_lower_bound or false, role_at = role_index(s),
  }
end

return shape
