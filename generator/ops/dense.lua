-- ops/dense.lua: linears of the pooled row of each sequence, each with an activation after it, as the Dense modules of
-- sentence-transformers are: the last one's row is the embedding. They multiply f32 whatever dtype says: they are one
-- row of a text.
local types = require "schema.types"

local ACTIVATIONS = { "none", "tanh", "relu", "gelu" }
local MOST = 4 -- linears
local MOST_SIZE = 65536

local WEIGHTS = {}
for i = 0, MOST - 1 do
  for _, part in ipairs({ "weight", "bias" }) do WEIGHTS[#WEIGHTS + 1] = ("dense_%d_%s"):format(i, part) end
end

-- A check of one value or a list of at most MOST of them, by that of one; canonical: a list.
local function list_of(check)
  local words = ("%s; or a list of at most %d"):format(types.words(check), MOST)
  return types.described(words, function(value)
    local list = type(value) == "table" and value or { value }
    if #list < 1 or #list > MOST then
      return nil, ("must be one value or a list of at most %d, found %d"):format(MOST, #list)
    end
    for i, item in ipairs(list) do
      local ok, why = check(item)
      if ok == nil then return nil, why end
      list[i] = ok
    end
    return list
  end)
end

-- The words of a command line, each by a parser of one.
local function each_word(parse)
  return function(words)
    local list = {}
    for word in words:gmatch("[^,]+") do
      local value, why = parse(word)
      if value == nil then return nil, why end
      list[#list + 1] = value
    end
    return list
  end
end

-- One value for each linear: that of all, or as many as there are.
local function for_each(dense, field, default, fail)
  local list = dense[field] or { default }
  if #list ~= 1 and #list ~= #dense.sizes then
    fail(("dense.%s has %d values; expected 1 or %d, one for each of dense.sizes"):format(field, #list, #dense.sizes))
  end
  dense[field] = {}
  for i = 1, #dense.sizes do dense[field][i] = #list == 1 and list[1] or list[i] end
end

-- The linears of a spec in order: { name, n_in, n_out, activation, weight, bias (roles; false: none) }.
local function linears(spec)
  local list, n_in = {}, spec.d_model
  for i, n_out in ipairs(spec.dense.sizes) do
    local name = ("dense_%d"):format(i - 1)
    list[i] = { name = name, n_in = n_in, n_out = n_out, activation = spec.dense.activation[i],
      weight = name .. "_weight", bias = spec.dense.bias[i] and name .. "_bias" }
    n_in = n_out
  end
  return list
end

local function role_names(spec)
  local names = {}
  for _, linear in ipairs(spec.dense and spec.dense.linears or {}) do
    names[#names + 1] = linear.weight
    names[#names + 1] = linear.bias or nil
  end
  return names
end

return {
  name = "dense",
  of_decoder = true,
  weights = WEIGHTS,
  looked_up = WEIGHTS, -- no library holds them transposed
  beside = WEIGHTS,
  fields = {
    { field = "dense.sizes", flag = "--dense-sizes", value = "N,...", check = list_of(types.count(1, MOST_SIZE)),
      parse = each_word(types.to_number), default = "none",
      help = "linears of the pooled row of each sequence: how many numbers each gives; the last row is `embedding`",
      group = "whole models", example = 'pool = { kind = "mean" }, dense = { sizes = 256 }' },
    { field = "dense.activation", flag = "--dense-activation", value = "NAME,...",
      check = list_of(types.choice(ACTIVATIONS)), parse = each_word(function(word) return word end), default = "none",
      help = "activation after each of these linears: " .. table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'pool = { kind = "mean" }, dense = { sizes = 256, activation = "tanh" }' },
    { field = "dense.bias", flag = "--dense-bias", value = "yes|no,...", check = list_of(types.boolean),
      parse = each_word(types.to_boolean), default = "yes",
      help = "whether each of these linears adds a bias",
      group = "whole models", example = 'pool = { kind = "mean" }, dense = { sizes = { 256, 64 }, bias = false }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.dense then return end
    if not spec.dense.sizes then return fail("dense.sizes is missing, but there are other fields of dense") end
    if not spec.pool then
      fail("dense is given, but without pool.kind there is no row of a sequence to multiply: give pool.kind")
    elseif spec.classifier then
      fail("dense is given, and classifier too; expected one of them: a classifier has a dense linear of its own")
    end
    for_each(spec.dense, "activation", "none", fail)
    for_each(spec.dense, "bias", true, fail)
    local last = spec.dense.sizes[#spec.dense.sizes]
    spec.d_embedding = spec.pool and spec.pool.size or last
    if spec.d_embedding > last then
      fail(("pool.size is %d; expected at most %d, the last of dense.sizes"):format(spec.d_embedding, last))
    end
    spec.dense.linears = linears(spec)
    spec.runs_last = true
  end,
  last_roles = function(spec, add)
    for _, linear in ipairs(spec.dense and spec.dense.linears or {}) do
      add(linear.weight, { linear.n_out, linear.n_in })
      if linear.bias then add(linear.bias, { linear.n_out }) end
    end
  end,
  products = function(spec, add)
    for _, linear in ipairs(spec.dense and spec.dense.linears or {}) do
      add({ op = linear.name, what = "pooled rows -> " .. linear.name, rows = "batch", n_in = linear.n_in,
        n_out = linear.n_out })
    end
  end,
  packed = function(spec, _, add_linear)
    for _, linear in ipairs(spec.dense and spec.dense.linears or {}) do add_linear(linear.name, linear) end
  end,
  last_operations = function(spec, add, words)
    if not spec.dense then return end
    add({ name = "embedding", op = spec.pool.kind .. " of rows", phase = "output", reads = { words.result },
      writes = { "embedding" }, fused = ("%d linears"):format(#spec.dense.sizes), template = "dense.outputs",
      weights = role_names(spec) })
  end,
  on = function(spec) return spec.dense end,
  uses = { "pooling", "run_last" },
  properties = function(spec)
    local rows = {}
    for i, linear in ipairs(spec.dense.linears) do
      rows[i] = ("{%d, GA_ACTIVATION_%s}"):format(linear.n_out, linear.activation:upper())
    end
    return { { "dense", { type = "struct ga_dense", table.concat(rows, ", ") } }, { "n_dense", #rows } }
  end,
  sentence = function(spec)
    if not spec.dense then return nil end
    local list = {}
    for i, linear in ipairs(spec.dense and spec.dense.linears or {}) do
      list[i] = ("a linear of %d%s"):format(linear.n_out, linear.activation ~= "none" and " and " .. linear.activation
        or "")
    end
    return "after pooling: " .. table.concat(list, ", ")
  end,
}
