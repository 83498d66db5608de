-- bits.lua check|update SOURCE...: runs commands that say which bits results have, and holds one SHA-256 for each
-- model against the committed table, or writes the table. Fails where an instruction set gives other bits, and where
-- there is nothing to compare; says which sets and rows were not made here. Computes no result itself.
--
-- A source prints lines: MODEL SET CALL BITS, a hash of a call's results; MODEL SET = SHA256, one of all of a model's
-- results; - WHAT: WHY, a set or a model that is not made here. A row of the table is the SHA-256 of all lines
-- "CALL BITS" of a model, in order, or the one that a source gives.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local bits_table = dofile("tests/bits/bits_table.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local hash = require "base.hash"
local formats = require "formats"
local isa = require "isa"
local multiply = require "formats.vocabulary.multiplied"
local text = require "base.text"

-- Steps of tests run this at the same time.
local FOLDER = "out/bits/calls_" .. hash.hex(table.concat(arg, " "))

-- -- What sources say -----------------------------------------------------------------------------------------------

-- Adds what a source printed: found.texts and found.sums are { [model] = { [set] = ... } }, found.lacks is
-- { [what] = why }.
local function read_lines(found, output)
  local function of(list, model)
    list[model] = list[model] or {}
    return list[model]
  end
  for line in output:gmatch("[^\n]+") do
    local what, why = line:match("^%- (%S+): (.*)$")
    local model, set, call, bits = line:match("^(%S+) (%S+) (%S+) (%x+)$")
    if what then
      found.lacks[what] = why
    elseif not model then
      error("not a line of bits: " .. line, 0)
    elseif call == "=" then
      of(found.sums, model)[set] = bits
    else
      local texts = of(found.texts, model)
      texts[set] = (texts[set] or "") .. call .. " " .. bits .. "\n"
    end
  end
end

-- Puts the SHA-256 of each text beside the sums that sources gave.
local function add_sums(found)
  local files = {}
  for _, model in ipairs(text.sorted_keys(found.texts)) do
    for _, set in ipairs(text.sorted_keys(found.texts[model])) do
      files[#files + 1] = { model .. ":" .. set, found.texts[model][set] }
    end
  end
  if #files == 0 then return end
  assert(compat.execute("rm -rf " .. FOLDER))
  assert(fs.write_all(FOLDER, files))
  local output, code = compat.capture(("cd %s && sha256sum *"):format(FOLDER))
  if code ~= 0 then error("sha256sum ended with " .. code, 0) end
  for sum, model, set in output:gmatch("(%x+)%s+([^:%s]+):(%S+)") do
    found.sums[model] = found.sums[model] or {}
    found.sums[model][set] = sum
  end
end

local function run_all(sources)
  local found = { texts = {}, sums = {}, lacks = {} }
  for _, source in ipairs(sources) do
    local output, code = compat.capture(source)
    if code ~= 0 then error(("%s ended with %d:\n%s"):format(source, code, output), 0) end
    read_lines(found, output)
  end
  add_sums(found)
  return found
end

-- -- What is said of them -------------------------------------------------------------------------------------------

-- Every instruction set there is, those that refine one before it.
local function all_sets()
  local names = {}
  for _, name in ipairs(isa.names()) do
    for _, set in ipairs(multiply.variants(formats.products(), isa.get(name))) do names[#names + 1] = set.name end
  end
  return names
end

local function say_lacks(found, rows)
  local seen, missing = {}, {}
  for _, sums in pairs(found.sums) do
    for set in pairs(sums) do seen[set] = true end
  end
  for _, set in ipairs(all_sets()) do
    if not seen[set] then found.lacks[set] = found.lacks[set] or "not in this build" end
  end
  print("made here by: " .. table.concat(text.sorted_keys(seen), " "))
  for _, what in ipairs(text.sorted_keys(found.lacks)) do
    if not seen[what] then print(("not made here: %s: %s"):format(what, found.lacks[what])) end
  end
  for _, model in ipairs(text.sorted_keys(rows)) do
    if not found.sums[model] and not found.lacks[model] then missing[#missing + 1] = model end
  end
  if #missing > 0 then
    print(("not made here: %d of the table's %d rows, whose models are not in this build: %s"):format(#missing,
      #text.sorted_keys(rows), table.concat(missing, " ")))
  end
end

-- Prints a line for a model, more where sets differ from its row. Returns how many sets have the row's bits, and how
-- many have others.
local function check_model(model, sums, row)
  local good, bad = {}, {}
  for _, set in ipairs(text.sorted_keys(sums)) do
    local list = sums[set] == row and good or bad
    list[#list + 1] = set
  end
  if #good > 0 then print(("%-24s %s  %s"):format(model, row, table.concat(good, " "))) end
  for _, set in ipairs(bad) do
    print(("FAIL %s by %s: found %s, expected %s (%s)"):format(model, set, sums[set], row or "a row", bits_table.PATH))
  end
  return #good, #bad
end

local ACTIONS = {}

function ACTIONS.check(found)
  local rows, passed, failed = bits_table.read().rows, 0, 0
  for _, model in ipairs(text.sorted_keys(found.sums)) do
    local good, bad = check_model(model, found.sums[model], rows[model])
    passed, failed = passed + good, failed + bad
  end
  say_lacks(found, rows)
  if failed > 0 then
    print("If results were meant to change, ninja bits-update writes the table. docs/numbers.md says when the bits " ..
      "revision changes.")
  end
  print(("%d passed, %d failed"):format(passed, failed))
  return passed > 0 and failed == 0
end

-- The one sum of all sets, or nil and the words of a disagreement.
local function agreed(model, sums)
  local sets = text.sorted_keys(sums)
  for _, set in ipairs(sets) do
    if sums[set] ~= sums[sets[1]] then
      return nil, ("FAIL %s: %s gives %s, %s gives %s; its row stays as it was"):format(model, sets[1], sums[sets[1]],
        set, sums[set])
    end
  end
  return sums[sets[1]]
end

-- Rows that are not made here stay where a source says why; others are of models that are no longer there.
function ACTIONS.update(found)
  local old = bits_table.read()
  local rows, changed, failed = {}, {}, 0
  for model, sum in pairs(old.rows) do rows[model] = (found.lacks[model] or found.sums[model]) and sum or nil end
  for _, model in ipairs(text.sorted_keys(found.sums)) do
    local sum, why = agreed(model, found.sums[model])
    if why then print(why) end
    failed = failed + (why and 1 or 0)
    if sum and old.rows[model] and old.rows[model] ~= sum then changed[#changed + 1] = model end
    rows[model] = sum or rows[model]
  end
  say_lacks(found, rows)
  bits_table.write(rows)
  if #changed > 0 and old.revision == bits_table.revision() then
    print(("%d rows have other hashes: if bits revision %d was released, raise GA_BITS_REVISION: %s"):format(#changed,
      old.revision, table.concat(changed, " ")))
  end
  print(("%d passed, %d failed"):format(#text.sorted_keys(rows), failed))
  return failed == 0
end

local function main()
  local action = assert(ACTIONS[arg[1]] and arg[2] and ACTIONS[arg[1]], "usage: lua bits.lua check|update SOURCE...")
  return action(run_all({ compat.unpack(arg, 2) }))
end

local ok, result = pcall(main)
if not ok then io.stderr:write("bits: ", tostring(result), "\n") end
if not (ok and result) then os.exit(1) end
