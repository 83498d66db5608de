-- combinations.lua: specs in which every two values of two features meet at least once, found greedily and the same for
-- a seed. A pair that the spec reader refuses is no combination. Builds and checks nothing; combinations.sh does.
--
--     lua5.4 tests/combinations.lua DIR [SEED]     writes DIR/pair_<n>.lua, one model each, and prints their paths
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path
local fs = require "base.fs"
local spec = require "spec"

local combinations = {}

-- What each feature may be: lists of fields to add to a spec, the first of each none of its own.
combinations.AXES = {
  { name = "shape", { d_model = 24, n_heads = 3 }, { d_model = 40, n_heads = 4, n_kv_heads = 2 },
    { d_model = 36, n_heads = 4, n_kv_heads = 1, d_head = 13 } },
  { name = "lengths", { seq_len = "1..40" }, { seq_len = 33, ["mask.lengths"] = false },
    { seq_len = "1..20", kv_seq_len = "5..50" } },
  { name = "widths", {}, { k_dim = 17, v_dim = 29 }, { d_out = 30, v_dim = 8 }, { projections = "qkv" },
    { vocab_size = 19 } },
  { name = "bias", {}, { bias = false }, { bias = { q = true, k = false, v = true, o = false } },
    { bias = { q = false, k = true, v = false } } },
  { name = "scale", {}, { scale = "d_model" }, { scale = 0.3 } },
  { name = "range", {}, { ["mask.causal"] = "top_left" }, { ["mask.causal"] = "bottom_right" },
    { ["mask.causal"] = "bottom_right", ["mask.window"] = 7 },
    { ["mask.window"] = 9, ["mask.window_sides"] = "both" } },
  { name = "mask", {}, { ["mask.tensor"] = "bool" }, { ["mask.tensor"] = "additive" } },
  { name = "masked", {}, { masked_row = "uniform" }, { mask_fill = -2.5 }, { mask_fill = -1e9 } },
  { name = "activation", {}, { activation = { q = "relu", k = "gelu", v = "silu" } },
    { activation = { k = "tanh", v = "gelu_tanh", o = "relu" } } },
  { name = "keys", {}, { add_bias_kv = true }, { add_zero_attn = true, add_bias_kv = true } },
  { name = "outputs", {}, { outputs = { "attention" } }, { outputs = { "attention", "attention_mean" } } },
}

-- -- A combination: choice[axis] is the place of its value, or nil where the axis is not decided yet -----------------

-- The fields of a choice, an undecided axis at its first value.
local function fields_of(choice)
  local fields = {}
  for a, axis in ipairs(combinations.AXES) do
    for key, value in pairs(axis[choice[a] or 1]) do fields[key] = value end
  end
  return fields
end

-- Whether the spec reader takes the choice.
local function is_spec(choice)
  return spec.from_fields(fields_of(choice)) ~= nil
end

local function key(a, i, b, j)
  return ("%d:%d %d:%d"):format(a, i, b, j)
end

-- Calls visit(a, i, b, j) for every two values of two axes, in order.
local function each_pair(visit)
  local axes = combinations.AXES
  for a = 1, #axes - 1 do
    for b = a + 1, #axes do
      for i = 1, #axes[a] do
        for j = 1, #axes[b] do visit(a, i, b, j) end
      end
    end
  end
end

-- The pairs that are combinations: a list of { a, i, b, j } in order.
function combinations.pairs()
  local list = {}
  each_pair(function(a, i, b, j)
    if is_spec({ [a] = i, [b] = j }) then list[#list + 1] = { a, i, b, j } end
  end)
  return list
end

-- -- Covering them ----------------------------------------------------------------------------------------------------

-- Whole numbers from 1 to n, the same under every Lua: the minimal standard generator.
local function numbers(seed)
  local state = seed % 2147483646 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

local function shuffled(count, random)
  local order = {}
  for i = 1, count do
    local at = random(i)
    order[i] = order[at]
    order[at] = i
  end
  return order
end

-- How many pairs not met yet the value i of axis a makes with what is chosen.
local function gain(open, choice, a, i)
  local count = 0
  for b = 1, #combinations.AXES do
    local j = b ~= a and choice[b]
    if j then count = count + (open[a < b and key(a, i, b, j) or key(b, j, a, i)] and 1 or 0) end
  end
  return count
end

-- Decides axis a: of the values that leave a spec, the one that meets most; where they tie, the one random begins at.
local function decide(open, choice, a, random)
  local values, best = #combinations.AXES[a], -1
  local start, decided = random(values), 1
  for step = 0, values - 1 do
    local i = (start + step - 1) % values + 1
    local meets = gain(open, choice, a, i)
    choice[a] = i
    if meets > best and is_spec(choice) then best, decided = meets, i end
  end
  choice[a] = decided
end

local function cross_off(open, choice)
  each_pair(function(a, i, b, j)
    if choice[a] == i and choice[b] == j then open[key(a, i, b, j)] = nil end
  end)
end

-- The choices that meet all pairs; each starts from the first pair not met yet.
function combinations.cover(seed)
  local list, open, random, choices = combinations.pairs(), {}, numbers(seed), {}
  for _, pair in ipairs(list) do open[key(pair[1], pair[2], pair[3], pair[4])] = true end
  for _, pair in ipairs(list) do
    if open[key(pair[1], pair[2], pair[3], pair[4])] then
      local choice = { [pair[1]] = pair[2], [pair[3]] = pair[4] }
      for _, a in ipairs(shuffled(#combinations.AXES, random)) do
        if not choice[a] then decide(open, choice, a, random) end
      end
      cross_off(open, choice)
      choices[#choices + 1] = choice
    end
  end
  return choices
end

-- The spec of a choice, checked and resolved.
function combinations.spec(choice, name)
  local fields = fields_of(choice)
  fields.name = name
  return assert(spec.from_fields(fields))
end

-- -- Writing ----------------------------------------------------------------------------------------------------------

local function write(folder, seed)
  for n, choice in ipairs(combinations.cover(seed)) do
    local name = ("pair_%02d"):format(n)
    local path = ("%s/%s.lua"):format(folder, name)
    assert(fs.write_if_changed(path, spec.text(combinations.spec(choice, name))) ~= nil, path)
    print(path)
  end
end

if arg and (arg[0] or ""):find("combinations%.lua$") then write(arg[1], tonumber(arg[2] or "1")) end
return combinations
