-- combinations_test.lua: the set of combinations meets every pair that the spec reader takes, the same each time.
local fact = dofile("tests/generator/fact.lua")
local combinations = dofile("tests/combinations.lua")
local spec = require "spec"

local function texts(seed)
  local list = {}
  for n, choice in ipairs(combinations.cover(seed)) do
    list[n] = spec.text(combinations.spec(choice, "pair_" .. n))
  end
  return list
end

fact.holds("every two values that make a spec meet in one of the set", function()
  local choices = combinations.cover(1)
  for _, pair in ipairs(combinations.pairs()) do
    local met = false
    for _, choice in ipairs(choices) do met = met or choice[pair[1]] == pair[2] and choice[pair[3]] == pair[4] end
    if not met then error("never met: " .. table.concat(pair, " ")) end
  end
end)

fact.holds("each value is part of a combination, so none is misspelt", function()
  local seen = {}
  for _, pair in ipairs(combinations.pairs()) do
    seen[pair[1] .. ":" .. pair[2]], seen[pair[3] .. ":" .. pair[4]] = true, true
  end
  for a, axis in ipairs(combinations.AXES) do
    for i = 1, #axis do assert(seen[a .. ":" .. i], ("value %d of %s"):format(i, axis.name)) end
  end
end)

fact.holds("a seed gives the same set, and few models", function()
  local first = texts(1)
  fact.lists_equal(texts(1), first)
  assert(#first <= 32, #first .. " models")
end)

fact.holds("contradictory values do not meet", function()
  for _, pair in ipairs(combinations.pairs()) do
    local a, b = combinations.AXES[pair[1]], combinations.AXES[pair[3]]
    local one, other = a[pair[2]], b[pair[4]]
    assert(not (one.k_dim and other.vocab_size), "k_dim and vocab_size")
    assert(not (one.projections == "qkv" and other.activation and other.activation.o), "qkv and an activation of o")
  end
end)

fact.finish()
