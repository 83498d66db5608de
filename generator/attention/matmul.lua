-- matmul.lua: whether linears multiply their weights as they are, or by fewer products of sums of halves: a scheme of
-- base/bilinear.lua for two rows of a sequence together. Says which linears of a layer do; how is the plan's.
local bilinear = require "base.bilinear"
local fmt = require "base.fmt"
local text = require "base.text"
local types = require "schema.types"

local SCHEME = bilinear.schemes.strassen
local HALVES = 32 -- inputs and columns of a head must be multiples of it, so that halves are whole vectors of every set
local WIDEST = 16 -- floats of the widest vector: heads of whole ones have no zeros between them on any set
local ROUNDINGS = 6 -- of a weight's factor, of sums of rows and weights, of two additions of products, of the bias

local SENTENCE = "%s multiply pairs of rows by Strassen's seven products of halves; an error is at most the largest " ..
  "input of the sequence times the largest weight times: %s"

local check_word = types.choice({ "exact", "fast" })

-- "fast:1" is "fast"; more levels are refused by name.
local check = types.described('`"exact"`, `"fast"`; `"fast:1"` is the same as `"fast"`', function(value)
  local levels = type(value) == "string" and value:match("^fast:(.*)$")
  if levels == "1" then return "fast" end
  if levels then
    return nil, ("must be exact, fast or fast:1, found %s: a product is split once, in seven products of halves")
      :format(types.shown(value))
  end
  return check_word(value)
end, "exact|fast[:LEVELS]")

-- Rows of a pair are multiplied together. A row that may not see its partner would see it there: its bits, and a NaN.
local REFUSES = 'matmul = "fast" is given, but %s is too: %s'
local CONTRADICTIONS = {
  { has = function(spec) return spec.kind ~= "mha" end, why = "whole models and attention alone multiply exactly; " ..
    'kind = "mha" is needed', found = function(spec) return ('kind = "%s"'):format(spec.kind) end },
  { has = function(spec) return spec.dtype and spec.dtype ~= "f32" end, found = function() return "dtype" end,
    why = 'its products are of f32 alone; leave dtype out' },
  { has = function(spec) return spec.weights_dtype ~= "f32" end, why = "sums of weights are kept as f32; leave it out",
    found = function(spec) return ('weights_dtype = "%s"'):format(spec.weights_dtype) end },
  { has = function(spec) return spec.shared_heads end, found = function() return 'heads = "shared"' end,
    why = "a weight of all heads is multiplied exactly; leave it out" },
  { has = function(spec) return spec.cache end, found = function() return "cache" end,
    why = "rows come one by one, and pairs of rows are multiplied together; leave it out" },
  { has = function(spec) return spec.causal end, found = function() return "mask.causal" end,
    why = "a row would depend on the next one, with which it is multiplied; leave it out" },
  { has = function(spec) return spec.window end, found = function() return "mask.window" end,
    why = "a row would depend on keys outside its window; leave it out" },
  { has = function(spec) return spec.fill end, found = function() return "mask_fill" end,
    why = "a row would depend on padding; leave it out" },
  { has = function(spec) return spec.mask_tensor end, found = function() return "mask.tensor" end,
    why = "a row would depend on masked keys; lengths may be used instead" },
}

-- Inputs and columns of the linears: of q, k and v those of a head.
local function sizes_of(spec)
  local all = { q = { spec.d_model, spec.d_head }, k = { spec.k_dim, spec.d_head }, v = { spec.v_dim, spec.d_head } }
  local fits = spec.d_head % WIDEST == 0 and spec.projects.o
  all.o = fits and { spec.n_heads * spec.d_head, spec.d_out } or nil
  return all
end

local LINEARS = { "q", "k", "v", "o" }

local function names_of(spec)
  local list = {}
  for _, name in ipairs(LINEARS) do list[#list + 1] = spec.is_fast[name] and name or nil end
  return list
end

local function find(spec, fail)
  local sizes = sizes_of(spec)
  for _, name in ipairs(LINEARS) do
    local size = sizes[name]
    spec.is_fast[name] = size and size[1] % HALVES == 0 and size[2] % HALVES == 0
  end
  if #names_of(spec) == 0 then
    fail(('matmul = "fast" is given, but no linear can be halved: d_model (%d) and d_head (%d) or d_out (%d) must ' ..
      "be multiples of %d"):format(spec.d_model, spec.d_head, spec.d_out, HALVES))
  end
end

-- What the error of a result is at most, in terms of the largest magnitudes: Higham's bound at one level, with running
-- sums of at most 128 products. inputs: of the linear.
local function bound(inputs)
  local half = inputs / 2
  return bilinear.growth(SCHEME) * half * (128 + math.ceil(half / 64) + ROUNDINGS) * 2 ^ -24
end

return {
  name = "matmul",
  fields = {
    { field = "matmul", flag = "--matmul", check = check, default = "exact",
      help = "fast: seven products of halves in place of eight, for two rows of a sequence together; larger errors",
      group = "weights", example = 'matmul = "fast"' },
  },
  -- spec.is_fast: by name, which linears multiply pairs of rows; nil where none does.
  resolve = function(spec, fail)
    if spec.matmul ~= "fast" then return end
    for _, case in ipairs(CONTRADICTIONS) do
      if case.has(spec) then return fail(REFUSES:format(case.found(spec), case.why)) end
    end
    spec.is_fast = {}
    find(spec, fail)
  end,
  properties = function(spec) return spec.is_fast and { { "pairs_rows", true } } or {} end,
  sentence = function(spec)
    if not spec.is_fast then return nil end
    local sizes, parts = sizes_of(spec), {}
    for i, name in ipairs(names_of(spec)) do
      parts[i] = ("%s %s"):format(name, fmt.fixed(bound(sizes[name][1]), 4))
    end
    return SENTENCE:format(text.join(names_of(spec)), table.concat(parts, ", "))
  end,
}
