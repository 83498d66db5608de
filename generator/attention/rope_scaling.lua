-- rope_scaling.lua: rotary positions scaled for texts longer than those of training: what each kind of scaling needs
-- and takes. The scaled angles themselves are computed by the runtime (runtime/packing/rotary_scaling.c).
local fmt = require "base.fmt"
local types = require "schema.types"

-- needs, takes: fields of rope, without the table's name; defaults: of the latter.
local KINDS = {
  linear = { needs = { "factor" } },
  dynamic = { needs = { "factor", "original_positions" } },
  yarn = { needs = { "factor", "original_positions" }, takes = { "attention_factor" },
    defaults = { slow_turns = 1, fast_turns = 32, truncate = true } },
  longrope = { needs = { "divisors" },
    takes = { "factor", "original_positions", "attention_factor", "long_divisors" } },
  llama3 = { needs = { "factor", "original_positions" }, defaults = { slow_turns = 1, fast_turns = 4 } },
}
local NAMES = { "linear", "dynamic", "yarn", "longrope", "llama3" }
local OWN = { "factor", "original_positions", "slow_turns", "fast_turns", "truncate", "attention_factor", "divisors",
  "long_divisors" }
local LEAST, MOST = 1e-6, 1e6

-- Whether a kind of scaling uses a field.
local function uses(kind, name)
  for _, list in ipairs({ KINDS[kind].needs, KINDS[kind].takes or {} }) do
    for _, used in ipairs(list) do
      if used == name then return true end
    end
  end
  return (KINDS[kind].defaults or {})[name] ~= nil
end

-- -- Fields ---------------------------------------------------------------------------------------------------------

local LAYOUT = 'rope = { layout = "half_split", '
local LINEAR = LAYOUT .. 'scaling = "linear", factor = 2'
local YARN = LAYOUT .. 'scaling = "yarn", factor = 4, original_positions = 4096'
local LONGROPE = 'd_head = 8, ' .. LAYOUT .. 'scaling = "longrope", divisors = { 1, 1.5, 2, 4 }'

local function row(name, more)
  more.field, more.group = "rope." .. name, "positions"
  return more
end

local FIELDS = {
  row("scaling", { flag = "--rope-scaling", value = table.concat(NAMES, "|"), check = types.choice(NAMES),
    parse = function(word) return word end, default = "none",
    help = "how angles are scaled for texts longer than those of training",
    example = LINEAR .. " }",
    meaning = "how angles are scaled for texts longer than those of training, in the words of transformers. " ..
      '`"linear"`: all are divided by `factor`. `"llama3"`, `"yarn"`: those of slow pairs are divided by `factor`, ' ..
      'those of fast pairs do not change. `"dynamic"`: theta grows with the longest sequence of the spec. ' ..
      '`"longrope"`: the angle of each pair has its own divisor' }),
  row("factor", { flag = "--rope-factor", value = "X", check = types.number(1, MOST), parse = types.to_number,
    default = "none", help = "longer texts are X times as long as those of training", example = LINEAR .. " }" }),
  row("original_positions", { flag = "--rope-original", value = "N", check = types.count(2, 16777216),
    parse = types.to_number, default = "none", help = "number of positions in training", example = YARN .. " }" }),
  row("slow_turns", { check = types.number(LEAST, MOST), default = "1",
    help = "a pair that makes at most so many turns in the original positions is slow (beta_slow of yarn, " ..
    "low_freq_factor of llama3)", example = YARN .. ", slow_turns = 2 }" }),
  row("fast_turns", { check = types.number(LEAST, MOST), default = "32 for yarn, 4 for llama3",
    help = "a pair that makes at least so many turns in the original positions is fast (beta_fast of yarn, " ..
    "high_freq_factor of llama3)", example = YARN .. ", fast_turns = 16 }" }),
  row("truncate", { check = types.boolean, default = "true",
    help = "yarn: the ramp between slow and fast pairs begins and ends at whole pairs",
    example = YARN .. ", truncate = false }" }),
  row("attention_factor", { check = types.number(LEAST, MOST), default = "computed from `factor`",
    help = "yarn, longrope: cosines and sines are multiplied by it", example = YARN .. ", attention_factor = 1.25 }" }),
  row("divisors", { check = types.numbers(LEAST, MOST, 512), default = "none",
    help = "longrope: the divisor of each pair's angle", example = LONGROPE .. " }" }),
  row("long_divisors", { check = types.numbers(LEAST, MOST, 512), default = "none",
    help = "longrope: the divisors if the longest sequence of the spec is above `original_positions`",
    example = LONGROPE .. ", long_divisors = { 1, 2, 4, 8 }, original_positions = 4096 }" }),
}

-- -- Checks ---------------------------------------------------------------------------------------------------------

local function check_fields(rope, fail)
  for _, name in ipairs(OWN) do
    if rope[name] ~= nil and not rope.scaling then
      fail(("rope.%s is given, but rope.scaling is not"):format(name))
    elseif rope[name] ~= nil and not uses(rope.scaling, name) then
      fail(('rope.%s is given, but rope.scaling = "%s" does not use it'):format(name, rope.scaling))
    end
  end
  for _, name in ipairs(rope.scaling and KINDS[rope.scaling].needs or {}) do
    if rope[name] == nil then fail(('rope.%s is missing: rope.scaling = "%s" needs it'):format(name, rope.scaling)) end
  end
end

local function check_divisors(rope, fail)
  for _, name in ipairs({ "divisors", "long_divisors" }) do
    if rope[name] and #rope[name] ~= rope.rotary_dim / 2 then
      fail(("rope.%s has %d numbers, but %d dimensions rotate, which are %d pairs"):format(name, #rope[name],
        rope.rotary_dim, rope.rotary_dim / 2))
    end
  end
  if (rope.long_divisors or rope.scaling == "longrope" and rope.factor) and not rope.original_positions then
    fail("rope.original_positions is missing: rope.long_divisors and rope.factor are about longer texts")
  end
end

local function check_turns(rope, fail)
  if rope.slow_turns and rope.slow_turns >= rope.fast_turns then
    fail(("rope.slow_turns (%s) is not below rope.fast_turns (%s)"):format(fmt.double(rope.slow_turns),
      fmt.double(rope.fast_turns)))
  end
  if rope.scaling == "yarn" and rope.theta <= 1 then
    fail("rope.theta (1) rotates all pairs alike; yarn scaling needs slow and fast pairs")
  end
  if rope.scaling == "dynamic" and rope.rotary_dim < 4 then
    fail(("rope.rotary_dim (%d) is one pair; dynamic scaling needs two"):format(
      rope.rotary_dim))
  end
end

-- -- What is made of it ---------------------------------------------------------------------------------------------

-- The fields of struct ga_rope_scaling that are not 0, in order, as { name, value }; nil if no angle is scaled.
local function numbers(rope)
  local kind = rope.scaling
  if not kind or (kind == "dynamic" and not rope.is_long) then return nil end
  local list = { { "kind", "ROPE_" .. kind:upper() } }
  local function add(name, value) list[#list + 1] = value and { name, value } or nil end
  add("factor", rope.factor)
  add("original", rope.original_positions)
  add("longest", kind == "dynamic" and rope.longest)
  add("slow", rope.slow_turns)
  add("fast", rope.fast_turns)
  add("truncate", rope.truncate)
  add("attention", rope.attention_factor)
  add("divisors", rope.is_long and rope.long_divisors or rope.divisors)
  return list
end

local function by_factor(rope)
  return ("for texts %s times as long as %s"):format(fmt.double(rope.factor),
    rope.original_positions or "those of training")
end

-- What follows the name of the kind.
local SENTENCES = {
  linear = by_factor, yarn = by_factor, llama3 = by_factor,
  dynamic = function(rope)
    local text = rope.is_long and "for sequences of %d, after training with %d" or
      "not at all, because no sequence is longer than %d"
    return rope.is_long and text:format(rope.longest, rope.original_positions) or text:format(rope.original_positions)
  end,
  longrope = function(rope)
    if not rope.long_divisors then return "by a divisor for each pair" end
    return ("by the divisors for sequences %s %d"):format(rope.is_long and "above" or "up to", rope.original_positions)
  end,
}

return {
  name = "rope_scaling",
  in_layers = true,
  fields = FIELDS,
  resolve = function(spec, fail)
    local rope = spec.rope
    if not rope or not rope.layout then return end
    check_fields(rope, fail)
    local kind = KINDS[rope.scaling]
    if not kind then return end
    for _, name in ipairs(OWN) do
      if rope[name] == nil then rope[name] = (kind.defaults or {})[name] end
    end
    check_divisors(rope, fail)
    check_turns(rope, fail)
    rope.longest = spec.rope_longest
    rope.is_long = rope.original_positions ~= nil and rope.longest > rope.original_positions
    spec.rope_scaling = numbers(rope)
  end,
  sentence = function(spec)
    local rope = spec.rope
    if not rope or not rope.scaling then return nil end
    return ("rotary positions are scaled (%s) %s"):format(rope.scaling, SENTENCES[rope.scaling](rope))
  end,
}
