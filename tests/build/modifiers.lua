-- modifiers.lua: how the generic kernel of the tests comes to the score modifiers: headers that list the files of
-- tests/support/modifiers/, one of each modifier, in the order in which these apply. Knows no modifier by name.
local features = require "attention"
local fmt = require "base.fmt"
local fs = require "base.fs"
local modifiers = require "attention.modifiers"

local test_modifiers = { FOLDER = "out/gen/tests", SOURCES = "tests/support/modifiers" }

-- Places whose modifiers are given the keys that a model adds too.
local OF_ALL_KEYS = { scale = true, cap = true }

-- The modifiers in the order in which they apply.
local function in_order()
  local list = {}
  for _, place in ipairs(features.SCORE_ORDER) do
    for _, feature in ipairs(features) do list[#list + 1] = feature.score_order == place and feature or nil end
  end
  return list
end

-- What is included for each precision: every modifier's file, and the function that calls them all.
local function score_modifiers()
  local includes, calls = {}, {}
  for i, modifier in ipairs(in_order()) do
    local path = ("%s/%s.h"):format(test_modifiers.SOURCES, modifier.name)
    if not fs.exists(path) then
      error(("%s is missing: what the score modifier %s does, once more"):format(path, modifier.name), 0)
    end
    includes[i] = ('#include "modifiers/%s.h"'):format(modifier.name)
    calls[i] = ("    IN_REAL(%s)(row, %s, scores);"):format(modifier.name,
      OF_ALL_KEYS[modifier.score_order] and "all_keys" or "keys")
  end
  return ("// Written by configure_tests.lua: the score modifiers, for reference.c.\n%s\n\n" ..
    "// Changes scores[all_keys] of a row: keys of its sequence, then those that the model adds.\n" ..
    "static void IN_REAL(modify_scores)(const struct reference_row *row, size_t keys, size_t all_keys,\n" ..
    "                                   REAL *scores)\n{\n%s\n}\n"):format(
    table.concat(includes, "\n"), table.concat(calls, "\n"))
end

-- The names of the modifiers' weights, and what each is where its modifier changes nothing.
local function modifier_weights()
  local rows, names, idle = {}, modifiers.weights()
  for i, name in ipairs(names) do rows[i] = ('    {"%s", %s},\n'):format(name, fmt.f32(idle[name])) end
  return ("// Written by configure_tests.lua: the roles of score modifiers.\n" ..
    "static const struct {\n    const char *role;\n    float idle;\n} modifier_weights[] = {\n" ..
    "%s    {NULL, 0},\n};\n"):format(table.concat(rows))
end

-- Writes the headers that tests/support/reference.c includes. folder: where to; FOLDER without it.
function test_modifiers.write(folder)
  assert(fs.write_all(folder or test_modifiers.FOLDER, { { "score_modifiers.h", score_modifiers() },
    { "modifier_weights.h", modifier_weights() } }))
end

return test_modifiers
