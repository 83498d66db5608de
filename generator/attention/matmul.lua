-- matmul.lua: whether linears multiply their weights as they are, or by fewer products of sums of parts: a scheme of
-- base/bilinear.lua for two or four rows of a sequence together. Says which linears do; how is the plan's.
local bilinear = require "base.bilinear"
local fmt = require "base.fmt"
local text = require "base.text"
local types = require "schema.types"

local WIDEST = 16 -- floats of the widest vector: heads of whole ones have no zeros between them on any set

-- By levels: what a linear does.
local WAYS = {
  "multiply pairs of rows by Strassen's seven products of halves, and their packed weights take 7/4 of the bytes",
  "multiply four rows together by Strassen's 49 products of quarters, and their packed weights take 49/16 of the bytes",
}
local BOUND = "; an error is at most the largest input of the sequence times the largest weight times: "

local check_word = types.choice({ "exact", "fast", "fast:2" })

-- "fast:1" is "fast"; more than two levels are refused by name.
local check = types.described('`"exact"`, `"fast"`, `"fast:2"`; `"fast:1"` is the same as `"fast"`', function(value)
  local levels = type(value) == "string" and value:match("^fast:(.*)$")
  if levels == "1" then return "fast" end
  if levels and levels ~= "2" then
    return nil, ("must be exact, fast, fast:1 or fast:2, found %s: a product is split once in halves, or twice")
      :format(types.shown(value))
  end
  return check_word(value)
end, "exact|fast[:LEVELS]")

local LEVELS = { fast = 1, ["fast:2"] = 2 }

-- Rows of a pair are multiplied together. A row that may not see its partner would see it there: its bits, and a NaN.
local REFUSES = 'matmul = "%s" is given, but %s is too: %s'
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

-- The linears of attention that can be halved, in order: { name, inputs, levels }. Columns of q, k and v are those of a
-- head; o is a whole model's own.
local function of_attention(spec)
  local fits = spec.d_head % WIDEST == 0 and spec.projects.o
  local list = {}
  for _, linear in ipairs({ { "q", spec.d_model, spec.d_head }, { "k", spec.k_dim, spec.d_head },
    { "v", spec.v_dim, spec.d_head }, fits and { "o", spec.n_heads * spec.d_head, spec.d_out } or nil }) do
    local levels = bilinear.levels_of(linear[2], linear[3], spec.matmul_levels)
    list[#list + 1] = levels and { linear[1], linear[2], levels } or nil
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
      list[#list + 1] = linear.levels and { name_of(linear), linear.parts[1].n_in, linear.levels } or nil
    end
  end
  return list
end

-- Roundings of a product's term beside those of its running sums: of a weight's factor and of the bias; of sums of rows
-- and two additions of products at each level; of a sum of weights, which are added one after the other.
local function roundings(levels)
  return 2 + 3 * levels + 2 ^ levels - 1
end

-- What the error of a result is at most, in terms of the largest magnitudes: Higham's bound, with running sums of at
-- most 128 products. inputs: of the linear.
local function bound(inputs, levels)
  local scheme = bilinear.levels[levels]
  local depth = inputs / scheme.sides
  return bilinear.growth(scheme) * depth * (128 + math.ceil(depth / 64) + roundings(levels)) * 2 ^ -24
end

local matmul = {
  name = "matmul",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "matmul", flag = "--matmul", check = check, default = "exact",
      help = "fast: seven products of halves in place of eight, for two rows of a sequence together; fast:2: 49 of " ..
        "quarters in place of 64, for four rows, and larger errors",
      group = "weights", example = 'matmul = "fast"' },
  },
}

-- spec.matmul_levels: how often linears are split at most, nil where a spec does not ask for it; spec.levels_of: how
-- often those of attention are, by name.
function matmul.resolve(spec, fail)
  spec.matmul_levels = LEVELS[spec.matmul]
  if not spec.matmul_levels then return end
  for _, case in ipairs(CONTRADICTIONS) do
    if case.has(spec) then
      local why = type(case.why) == "string" and case.why or case.why(spec)
      return fail(REFUSES:format(spec.matmul, case.found(spec), why))
    end
  end
  spec.levels_of = {}
  for _, linear in ipairs(spec.stack and {} or of_attention(spec)) do spec.levels_of[linear[1]] = linear[3] end
end

function matmul.check(spec, fail)
  if not spec.matmul_levels or spec.is_part then return end
  for _, linear in ipairs(fast_linears(spec)) do
    if linear[3] == spec.matmul_levels then return end
  end
  local last, columns = "d_out", spec.d_out
  if spec.stack then last, columns = "d_ff", spec.d_ff end
  fail(('matmul = "%s" is given, but no linear can be %s: d_model (%d) and d_head (%d) or %s (%d) must be ' ..
    "multiples of %d"):format(spec.matmul, spec.matmul_levels == 1 and "halved" or "split in quarters", spec.d_model,
    spec.d_head, last, columns, bilinear.multiple(spec.matmul_levels)))
end

function matmul.properties(spec)
  return spec.matmul_levels and { { "rows_together", bilinear.levels[spec.matmul_levels].sides } } or {}
end

-- What the linears of so many levels do, nil where there are none.
local function sentence_of(spec, levels)
  local names, parts = {}, {}
  for _, linear in ipairs(fast_linears(spec)) do
    if linear[3] == levels then
      names[#names + 1] = linear[1]
      parts[#parts + 1] = ("%s %s"):format(linear[1], fmt.fixed(bound(linear[2], levels), 4))
    end
  end
  return #names > 0 and ("%s %s%s%s"):format(text.join(names), WAYS[levels], BOUND, table.concat(parts, ", ")) or nil
end

function matmul.sentence(spec)
  local sentences = {}
  for levels = spec.matmul_levels or 0, 1, -1 do sentences[#sentences + 1] = sentence_of(spec, levels) end
  return #sentences > 0 and table.concat(sentences, "; ") or nil
end

return matmul
