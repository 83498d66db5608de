-- bits.lua PROGRAM: whether every instruction set of this CPU gives the same bits: runs PROGRAM, which prints a number
-- for the bits of each call, and prints one SHA-256 for each model, or which sets differ. Fails where sets differ, and
-- where there is nothing to compare. Computes no result itself.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local FOLDER = "out/bits"

-- { [model] = { [isa] = lines of its calls } }, and the names of models and of sets, as the program has them first.
local function read_calls(output)
  local calls, models, isas, seen = {}, {}, {}, {}
  for line in output:gmatch("[^\n]+") do
    local model, isa, call, bits = line:match("^(%S+) (%S+) (%d+) (%x+)$")
    if not model then error("not a line of a call: " .. line, 0) end
    if not calls[model] then calls[model], models[#models + 1] = {}, model end
    if not seen[isa] then seen[isa], isas[#isas + 1] = true, isa end
    calls[model][isa] = (calls[model][isa] or "") .. call .. " " .. bits .. "\n"
  end
  return calls, models, isas
end

-- The SHA-256 of texts by name, in the files of a folder.
local function sha256_of(texts)
  local files, found = {}, {}
  for name, text in pairs(texts) do files[#files + 1] = { name, text } end
  assert(fs.write_all(FOLDER, files))
  local output, code = compat.capture(("cd %s && sha256sum *"):format(FOLDER))
  if code ~= 0 then error("sha256sum ended with " .. code, 0) end
  for sum, name in output:gmatch("(%x+)%s+(%S+)") do found[name] = sum end
  return found
end

local function main(program)
  local output, code = compat.capture(program)
  if code ~= 0 then error(("%s ended with %d"):format(program, code), 0) end
  local calls, models, isas = read_calls(output)
  local texts, differ = {}, 0
  for _, model in ipairs(models) do
    for isa, text in pairs(calls[model]) do texts[model .. "." .. isa] = text end
  end
  local sums = sha256_of(texts)
  print("sets: " .. table.concat(isas, " "))
  for _, model in ipairs(models) do
    local others, first = {}, isas[1]
    for _, isa in ipairs(isas) do
      local sum = sums[model .. "." .. isa]
      if sum and sum ~= sums[model .. "." .. first] then others[#others + 1] = isa end
    end
    differ = differ + (#others > 0 and 1 or 0)
    print(("%-24s %s"):format(model, #others == 0 and sums[model .. "." .. first] or
      ("differs from %s: %s"):format(first, table.concat(others, " "))))
  end
  print(("%d passed, %d failed"):format(#models - differ, differ))
  if #isas < 2 then error("one set alone: nothing to compare", 0) end
  if differ > 0 then os.exit(1) end
end

local ok, why = pcall(main, assert(arg[1], "usage: lua tests/bits/bits.lua PROGRAM"))
if not ok then
  io.stderr:write("bits: ", tostring(why), "\n")
  os.exit(1)
end
