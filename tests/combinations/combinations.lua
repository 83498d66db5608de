-- combinations.lua: what each feature may be, and specs in which every two of these values meet at least once, found
-- greedily and the same for a seed. A pair that the spec reader refuses with whatever else is no combination. Builds
-- and checks nothing; combinations_build.lua and `ninja check-combinations` do. Stacks are left out: what their blocks
-- may be is no feature, and their attention goes through the same templates as a layer's.
--
--     lua5.4 tests/combinations/combinations.lua refused     prints the refused pairs, as refused.txt has them
--     lua5.4 tests/combinations/combinations.lua specs       prints what meets in each spec
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path
local features = require "attention"
local formats = require "formats"
local modifiers = require "attention.modifiers"
local sandbox = require "schema.sandbox"
local spec = require "spec"

local combinations = { SEED = 20 }

-- Formats of packed weights, of those of 16 bits and of those in groups one, and every arithmetic but f32 of linears
-- and attention, which the first one goes with, with int8 for k and f32 for q. Fast products, of a shape of which the
-- output is split twice and q, k and v are split once, with rows for both.
local function number_types()
  local axis = { name = "numbers" }
  for _, name in ipairs(formats.weights()) do
    if name ~= "int8" and name ~= "f16" then axis[#axis + 1] = { weights_dtype = name } end
  end
  for _, name in ipairs(formats.products()) do
    if name ~= "f32" then axis[#axis + 1] = { dtype = { default = name, k = "int8", q = "f32", attention = name } } end
  end
  axis[#axis + 1] = { matmul = "fast:2", d_model = 64, n_heads = 2, seq_len = "30..70" }
  return axis
end

-- Lists of values, each the fields it adds to a spec; the first is what a feature is where it is off. A field of a
-- feature that stands in none of them is a failure of tests/generator/combinations_test.lua; one of a score modifier
-- gets an axis of its own, off and as its example has it.
combinations.AXES = {
  { name = "shape", { d_model = 24, n_heads = 3 }, { d_model = 32, n_heads = 4, n_kv_heads = 2 },
    { d_model = 22, n_heads = 2, n_kv_heads = 1, d_head = 9 }, { d_model = 18, n_heads = 1 } },
  { name = "rows", { seq_len = "1..40" }, { seq_len = 33 }, { seq_len = "1..20", kv_seq_len = "5..50" } },
  { name = "batch", {}, { batch = 3 } },
  { name = "kind", {}, { kind = "sdpa", d_v = 5 } },
  { name = "widths", {}, { k_dim = 16, v_dim = 16 }, { k_dim = 17, v_dim = 29 }, { d_out = 30 } },
  { name = "projections", {}, { projections = "qkv" }, { heads = "shared" } },
  { name = "vocab_size", {}, { vocab_size = 19 } },
  { name = "bias", {}, { bias = { k = false, o = false } }, { bias = { q = false, v = false } } },
  { name = "scale", {}, { scale = "d_model" }, { scale = 0.3 } },
  { name = "causal", {}, { ["mask.causal"] = "top_left" }, { ["mask.causal"] = "bottom_right" } },
  { name = "softcap", {}, { softcap = 1.5 } },
  { name = "alibi", {}, { alibi = true } },
  { name = "relative_bias", {}, { relative_bias = { num_buckets = 8, max_distance = 20 } },
    { relative_bias = { num_buckets = 6, max_distance = 9, bidirectional = true, shared = true } } },
  { name = "window", {}, { ["mask.window"] = 7 }, { ["mask.window"] = 9, ["mask.window_sides"] = "both" } },
  { name = "sinks", {}, { sinks = true } },
  { name = "lengths", {}, { ["mask.lengths"] = false } },
  { name = "mask", {}, { ["mask.tensor"] = "bool" }, { ["mask.tensor"] = "additive" } },
  { name = "mask_fill", {}, { mask_fill = -2.5 }, { mask_fill = -1e9 }, { mask_fill = -1e31 } },
  { name = "masked_row", {}, { masked_row = "uniform" } },
  { name = "activation", {}, { activation = { q = "relu", k = "gelu", v = "silu" } },
    { activation = { k = "tanh", v = "gelu_tanh", o = "relu" } } },
  { name = "qk_norm", {}, { qk_norm = { kind = "rms", eps = 0.001, over = "row" } },
    { qk_norm = { kind = "layer", bias = false, unit_offset = true } } },
  { name = "rope", {}, { rope = { layout = "half_split", rotary_dim = 6, theta = 500, scaling = "yarn", factor = 3,
    original_positions = 20, slow_turns = 0.5, fast_turns = 3, truncate = false, attention_factor = 1.2 } },
    { rope = { layout = "interleaved", rotary_dim = 8, positions = 100, scaling = "longrope", factor = 2,
      original_positions = 30, divisors = { 1, 1.5, 2, 4 }, long_divisors = { 1, 2, 3, 5.5 } } } },
  { name = "dropout", {}, { dropout = 0.1 } },
  { name = "outputs", {}, { outputs = { "attention", "scores" } },
    { outputs = { "attention_mean", "q_proj", "k_proj", "v_proj" } },
    { outputs = { "attention", "q_heads", "k_heads", "v_heads", "x_heads", "x_concat" } } },
  { name = "add_bias_kv", {}, { add_bias_kv = true } },
  { name = "add_zero_attn", {}, { add_zero_attn = true } },
  { name = "cache", {}, { cache = 90 }, { cache = 90, cache_dtype = "int8" } },
  number_types(),
  { name = "weights", {}, { weights = "torch_mha", weights_prefix = "block.0." } },
}

-- Features that most others are refused with: models of tests/specs have them with some of the rest.
combinations.APART = { disentangled = true }

-- Whether some value of the table gives a field, alone or within its table, or it is of a feature apart.
function combinations.gives(field)
  local group, inner = field:match("^([^.]+)%.(.+)$")
  if combinations.APART[group] then return true end
  for _, axis in ipairs(combinations.AXES) do
    for _, value in ipairs(axis) do
      local outer = value[group]
      if value[field] ~= nil or type(outer) == "table" and outer[inner] ~= nil then return true end
    end
  end
  return false
end

-- The names of the axes that come from examples.
combinations.FROM_EXAMPLES = {}

for _, modifier in ipairs(modifiers) do
  for _, field in ipairs(modifier.fields) do
    if not combinations.gives(field.field) then
      local example = assert(sandbox.read("{ " .. field.example .. " }"))
      combinations.AXES[#combinations.AXES + 1] = { name = field.field, {}, example }
      combinations.FROM_EXAMPLES[field.field] = true
    end
  end
end

-- One step of the inner product at a time: no feature asks how many there are, and half the code is compiled.
local COMMON = { unroll = 1 }

-- -- A combination: choice[axis] is the place of its value, or nil where the axis is not decided yet ------------------

-- The fields of a choice, an undecided axis at its first value.
local function fields_of(choice)
  local fields = {}
  for key, value in pairs(COMMON) do fields[key] = value end
  for a, axis in ipairs(combinations.AXES) do
    for key, value in pairs(axis[choice[a] or 1]) do fields[key] = value end
  end
  return fields
end

-- The spec that the fields say, whatever its weights are called; or nil and every error.
local function unnamed(fields)
  local weight_maps = features[#features]
  local resolve = weight_maps.resolve
  assert(weight_maps.name == "weight_maps", "the names of weights are asked for last")
  weight_maps.resolve = nil
  local s, errors = spec.from_fields(fields)
  weight_maps.resolve = resolve
  return s, errors
end

-- The spec of a choice, or nil and every error. Each weight has a name of its own where the choice names none: no file
-- that a map is for holds the weights of every combination.
function combinations.spec(choice, name)
  local fields = fields_of(choice)
  fields.name = name
  local s, errors = unnamed(fields)
  if not s then return nil, errors end
  if not fields.weights and #s.roles > 0 then
    fields.weights = {}
    for _, role in ipairs(s.roles) do fields.weights[role.name] = role.name end
  end
  return spec.from_fields(fields)
end

-- Whether a choice is a spec, which the same one is every time: a set of choices asks of most of them more than once.
local is_spec_by_key = {}

local function is_spec(choice)
  local values = {}
  for a = 1, #combinations.AXES do values[a] = choice[a] or 1 end
  local key = table.concat(values, " ")
  if is_spec_by_key[key] == nil then is_spec_by_key[key] = combinations.spec(choice) ~= nil end
  return is_spec_by_key[key]
end

-- "causal 2" for the second value of an axis.
local function value_name(a, i)
  return ("%s %d"):format(combinations.AXES[a].name, i)
end

-- What a choice decides but for first values, in words.
function combinations.text(choice)
  local parts = {}
  for a = 1, #combinations.AXES do
    if (choice[a] or 1) > 1 then parts[#parts + 1] = value_name(a, choice[a]) end
  end
  return table.concat(parts, ", ")
end

-- -- Pairs ------------------------------------------------------------------------------------------------------------

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

-- A spec in which two values meet: with nothing else, or with the first value of a third axis that the reader takes
-- beside them, as a window wants to be causal. nil where there is none.
local function meeting(a, i, b, j)
  if is_spec({ [a] = i, [b] = j }) then return { [a] = i, [b] = j } end
  for c, axis in ipairs(combinations.AXES) do
    for k = 2, c ~= a and c ~= b and #axis or 0 do
      local choice = { [a] = i, [b] = j, [c] = k }
      if is_spec(choice) then return choice end
    end
  end
end

-- The pairs that are combinations, a list of { a, i, b, j, choice } in order; and those that are not, each a line of
-- the pair and what the reader says of it. Of these apart, those of axes that come from examples.
function combinations.pairs()
  local list, refused, of_examples = {}, {}, {}
  each_pair(function(a, i, b, j)
    local choice = meeting(a, i, b, j)
    if choice then
      list[#list + 1] = { a, i, b, j, choice }
    else
      local _, errors = combinations.spec({ [a] = i, [b] = j })
      local is_example = combinations.FROM_EXAMPLES[combinations.AXES[b].name]
      local lines = is_example and of_examples or refused
      lines[#lines + 1] = ("%s + %s: %s"):format(value_name(a, i), value_name(b, j), table.concat(errors, "; "))
    end
  end)
  return list, refused, of_examples
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

-- The values of the axes that are not decided yet, those that meet most first; ties in a random order.
local function ranking(open, choice, random)
  local ranked = {}
  for _, a in ipairs(shuffled(#combinations.AXES, random)) do
    for i = 1, choice[a] and 0 or #combinations.AXES[a] do
      ranked[#ranked + 1] = { axis = a, value = i, meets = gain(open, choice, a, i), place = #ranked }
    end
  end
  table.sort(ranked, function(x, y) return x.meets > y.meets or x.meets == y.meets and x.place < y.place end)
  return ranked
end

-- Decides one more axis, by the value that meets most of those that leave a spec; false where all are decided.
local function decide(open, choice, random)
  for _, row in ipairs(ranking(open, choice, random)) do
    choice[row.axis] = row.value
    if is_spec(choice) then return true end
    choice[row.axis] = nil
  end
  return false
end

local function cross_off(open, choice)
  each_pair(function(a, i, b, j)
    if choice[a] == i and choice[b] == j then open[key(a, i, b, j)] = nil end
  end)
end

-- The choices in which all pairs of the list meet; each starts from the first pair not met yet.
function combinations.cover(list, seed)
  local open, random, choices = {}, numbers(seed), {}
  for _, pair in ipairs(list) do open[key(pair[1], pair[2], pair[3], pair[4])] = true end
  for _, pair in ipairs(list) do
    if open[key(pair[1], pair[2], pair[3], pair[4])] then
      local choice = {}
      for a = 1, #combinations.AXES do choice[a] = pair[5][a] end
      while decide(open, choice, random) do end
      cross_off(open, choice)
      choices[#choices + 1] = choice
    end
  end
  return choices
end

-- -- Printing ---------------------------------------------------------------------------------------------------------

local actions = {}

function actions.refused(_, refused)
  for _, line in ipairs(refused) do print(line) end
end

function actions.specs(list)
  for n, choice in ipairs(combinations.cover(list, combinations.SEED)) do
    print(("pair_%02d: %s"):format(n, combinations.text(choice)))
  end
end

if arg and (arg[0] or ""):find("combinations%.lua$") then
  local action = actions[arg[1]] or error("usage: combinations.lua refused|specs", 0)
  action(combinations.pairs())
end
return combinations
