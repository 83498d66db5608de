-- matmul.lua: whether linears multiply their weights as they are, or by fewer products of sums of halves: a scheme of
-- base/bilinear.lua for two rows of a sequence together. Says which linears do; how is the plan's.
local bilinear = require "base.bilinear"
local fmt = require "base.fmt"
local text = require "base.text"
local types = require "schema.types"

local SCHEME = bilinear.schemes.strassen
local WIDEST = 16 -- floats of the widest vector: heads of whole ones have no zeros between them on any set
local ROUNDINGS = 6 -- of a weight's factor, of sums of rows and weights, of two additions of products, of the bias

local SENTENCE = "%s multiply pairs of rows by Strassen's seven products of halves, and their packed weights take " ..
  "7/4 of the bytes; an error is at most the largest input of the sequence times the largest weight times: %s"

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
local KINDS = {
  sdpa = "attention alone has no linears", decoder = "a row would depend on the next one, with which it is multiplied",
  transformer = "a row of its decoder would depend on the next one, with which it is multiplied",
}

-- Whether a linear or attention multiplies other numbers than f32, or a call may choose so.
local function is_narrow(spec)
  for _, name in pairs(spec.arithmetic_of) do
    if name ~= "f32" then return true end
  end
  return spec.chooses or spec.attends_in ~= "f32"
end

local CONTRADICTIONS = {
  { has = function(spec) return KINDS[spec.kind] end, why = function(spec) return KINDS[spec.kind] ..
    '; kind = "mha" or kind = "encoder" is needed' end,
    found = function(spec) return ('kind = "%s"'):format(spec.kind) end },
  { has = is_narrow, found = function() return "dtype" end,
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

-- The linears of attention that can be halved, in order: { name, inputs }. Columns of q, k and v are those of a head;
-- o is a whole model's own.
local function of_attention(spec)
  local fits = spec.d_head % WIDEST == 0 and spec.projects.o
  local list = {}
  for _, linear in ipairs({ { "q", spec.d_model, spec.d_head }, { "k", spec.k_dim, spec.d_head },
    { "v", spec.v_dim, spec.d_head }, fits and { "o", spec.n_heads * spec.d_head, spec.d_out } or nil }) do
    list[#list + 1] = bilinear.halves(linear[2], linear[3]) and linear or nil
  end
  return list
end

-- What a linear of a sublayer is called: by its weights.
local function name_of(linear)
  local roles = {}
  for i, part in ipairs(linear.parts) do roles[i] = part.role end
  return table.concat(roles, "+")
end

-- All fast linears of a spec, likewise: of a whole model those of its attention, then those of its sublayers.
local function fast_linears(spec)
  if not spec.stack then return of_attention(spec) end
  local list = spec.attention_spec and of_attention(spec.attention_spec) or {}
  for _, sublayer in ipairs(spec.sublayers) do
    for _, linear in ipairs(sublayer.linears) do
      list[#list + 1] = linear.is_fast and { name_of(linear), linear.parts[1].n_in } or nil
    end
  end
  return list
end

-- What the error of a result is at most, in terms of the largest magnitudes: Higham's bound at one level, with running
-- sums of at most 128 products. inputs: of the linear.
local function bound(inputs)
  local half = inputs / 2
  return bilinear.growth(SCHEME) * half * (128 + math.ceil(half / 64) + ROUNDINGS) * 2 ^ -24
end

local matmul = {
  name = "matmul",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "matmul", flag = "--matmul", check = check, default = "exact",
      help = "fast: seven products of halves in place of eight, for two rows of a sequence together; larger errors",
      group = "weights", example = 'matmul = "fast"' },
  },
}

-- spec.is_fast: by name, which linears of attention multiply pairs of rows; nil where a spec does not ask for it.
function matmul.resolve(spec, fail)
  if spec.matmul ~= "fast" then return end
  for _, case in ipairs(CONTRADICTIONS) do
    if case.has(spec) then
      return fail(REFUSES:format(case.found(spec), type(case.why) == "string" and case.why or case.why(spec)))
    end
  end
  spec.is_fast = {}
  for _, linear in ipairs(spec.stack and {} or of_attention(spec)) do spec.is_fast[linear[1]] = true end
end

function matmul.check(spec, fail)
  if not spec.is_fast or spec.is_part or #fast_linears(spec) > 0 then return end
  local last, columns = "d_out", spec.d_out
  if spec.stack then last, columns = "d_ff", spec.d_ff end
  fail(('matmul = "fast" is given, but no linear can be halved: d_model (%d) and d_head (%d) or %s (%d) must be ' ..
    "multiples of %d"):format(spec.d_model, spec.d_head, last, columns, bilinear.MULTIPLE))
end

function matmul.properties(spec)
  return spec.is_fast and { { "pairs_rows", true } } or {}
end

function matmul.sentence(spec)
  if not spec.is_fast then return nil end
  local names, parts = {}, {}
  for i, linear in ipairs(fast_linears(spec)) do
    names[i], parts[i] = linear[1], ("%s %s"):format(linear[1], fmt.fixed(bound(linear[2]), 4))
  end
  return SENTENCE:format(text.join(names), table.concat(parts, ", "))
end

return matmul
