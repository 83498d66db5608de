-- combinations_test.lua: the table of combinations.lua has every feature; all its pairs that the spec reader takes meet
-- in the set, and those that it refuses are the reviewed ones.
local fact = dofile("tests/generator/fact.lua")
local combinations = dofile("tests/combinations/combinations.lua")
local features = require "attention"
local fs = require "base.fs"
local spec = require "spec"

local REFUSED = "tests/combinations/refused.txt"

local pairs_taken, refused, of_examples = combinations.pairs()
local choices = combinations.cover(pairs_taken, combinations.SEED)

fact.holds("every field of every feature has a value in the table", function()
  local missing = {}
  for _, feature in ipairs(features) do
    for _, field in ipairs(feature.fields or {}) do
      if not combinations.gives(field.field) then missing[#missing + 1] = feature.name .. ": " .. field.field end
    end
  end
  fact.lists_equal(missing, {})
end)

fact.holds("every feature that adds to a stage is on in one of the set", function()
  local missing = {}
  for _, feature in ipairs(features) do
    local is_on = not feature.on or combinations.APART[feature.name]
    for _, choice in ipairs(choices) do
      is_on = is_on or feature.on(assert(combinations.spec(choice)))
    end
    if not is_on then missing[#missing + 1] = feature.name end
  end
  fact.lists_equal(missing, {})
end)

fact.holds("every two values that make a spec meet in one of the set", function()
  for _, pair in ipairs(pairs_taken) do
    local met = false
    for _, choice in ipairs(choices) do met = met or choice[pair[1]] == pair[2] and choice[pair[3]] == pair[4] end
    if not met then error(("never met: %d %d, %d %d"):format(pair[1], pair[2], pair[3], pair[4])) end
  end
end)

fact.holds("the pairs refused are those of " .. REFUSED .. ", for the reasons there", function()
  fact.equal(table.concat(refused, "\n") .. "\n", assert(fs.read(REFUSED)))
end)

fact.holds("of a field whose values are its example, weights alone are refused, where there are none", function()
  for _, line in ipairs(of_examples) do
    assert(line:find('is given, but kind = "sdpa" has no weights', 1, true), line .. ": give it an axis of its own")
  end
end)

fact.holds("each value is part of a combination, so none is misspelt", function()
  local seen = {}
  for _, pair in ipairs(pairs_taken) do
    seen[pair[1] .. ":" .. pair[2]], seen[pair[3] .. ":" .. pair[4]] = true, true
  end
  for a, axis in ipairs(combinations.AXES) do
    for i = 1, #axis do assert(seen[a .. ":" .. i], ("value %d of %s"):format(i, axis.name)) end
  end
end)

fact.holds("a seed gives the same set, another one another, and few models", function()
  local function texts(seed)
    local list = {}
    for n, choice in ipairs(combinations.cover(pairs_taken, seed)) do list[n] = combinations.text(choice) end
    return table.concat(list, "\n")
  end
  fact.equal(texts(combinations.SEED), texts(combinations.SEED))
  assert(texts(combinations.SEED) ~= texts(combinations.SEED + 1), "the seed is not heard")
  assert(#choices <= 48, #choices .. " models")
end)

fact.holds("each of the set is a spec file that reads back as it is", function()
  local folder = fact.folder("combinations")
  for n, choice in ipairs(choices) do
    local s = assert(combinations.spec(choice, ("pair_%02d"):format(n)))
    assert(fs.write_if_changed(folder .. "pair.lua", spec.text(s)) ~= nil)
    fact.equal(spec.text(assert(spec.read(folder .. "pair.lua"))), spec.text(s))
  end
end)

fact.finish()
