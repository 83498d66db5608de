-- bits_table_test.lua: the committed table of hashes has a row for each model of the list, and no others; and
-- tests/bits/bits.lua says what differs from it. Runs no model: sources are lines written here.
local fact = dofile("tests/generator/fact.lua")
local bits_table = dofile("tests/bits/bits_table.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local roles = require "tests.build.roles"
local text = require "base.text"

local MINILM, LEAST_MODELS = "minilm_328", 40

-- A row's model: of tokens one after the other, that of its calls.
local function model_of(row) return (row:gsub("%.greedy$", "")) end

fact.holds("the table has rows for the models of the list, and MiniLM's", function()
  local rows, found = bits_table.read().rows, {}
  for row in pairs(rows) do
    local model = model_of(row)
    fact.equal(roles.bits[model] or row == MINILM, true, row .. " is of no model on the list")
    fact.equal(rows[model] ~= nil, true, model .. " has tokens and no calls")
    found[model] = true
  end
  for model in pairs(roles.bits) do fact.equal(found[model], true, model .. " has no row") end
  fact.equal(found[MINILM], true)
  fact.equal(#text.sorted_keys(found) >= LEAST_MODELS, true)
end)

fact.holds("the table is of the bits revision that the headers have", function()
  fact.equal(bits_table.read().revision, bits_table.revision())
end)

-- What bits.lua says of lines that a source prints, and its exit code.
local function said_of(lines)
  local path = fact.folder("bits_table") .. "lines"
  assert(fs.write_if_changed(path, table.concat(lines, "\n") .. "\n") ~= nil)
  return compat.capture(("%s tests/bits/bits.lua check 'cat %s'"):format(arg[-1], path))
end

fact.holds("bits.lua names the model, the set, what was found and what was expected", function()
  local row, other = bits_table.read().rows[MINILM], ("0"):rep(64)
  local said, code = said_of({ MINILM .. " avx2 = " .. row, MINILM .. " scalar = " .. other,
    "- neon: another machine" })
  fact.equal(code, 1)
  fact.contains(said, ("FAIL %s by scalar: found %s, expected %s"):format(MINILM, other, row))
  fact.contains(said, "not made here: neon: another machine")
  fact.contains(said, "not made here: avx512: not in this build")
  fact.contains(said, "1 passed, 1 failed")
  said, code = said_of({ MINILM .. " avx2 = " .. row })
  fact.equal(code, 0)
  fact.contains(said, ("of the table's %d rows, whose models are not in this build: activations_36_4 "):format(
    #text.sorted_keys(bits_table.read().rows)))
end)

fact.holds("bits.lua fails where nothing was compared, and on a row that the table lacks", function()
  local said, code = said_of({ "- scalar: it rains" })
  fact.equal(code, 1)
  fact.contains(said, "0 passed, 0 failed")
  said, code = said_of({ "unknown avx2 1 00ff" })
  fact.equal(code, 1)
  fact.contains(said, "FAIL unknown by avx2: found ")
end)
fact.finish()
