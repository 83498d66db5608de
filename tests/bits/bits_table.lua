-- bits_table.lua: the committed table of hashes, tests/bits/bits.txt: its revision, and one SHA-256 for each model.
-- Runs no model.
local fs = require "base.fs"
local text = require "base.text"

local bits_table = { PATH = "tests/bits/bits.txt" }

local HEAD = [[
# The SHA-256 of the results of each model, which every build gives on every machine (docs/numbers.md#which-bits).
# Written by ninja bits-update; tests/bits/bits.lua says what is hashed.
bits revision %d
]]

-- The number that changes whenever a release changes results on purpose.
function bits_table.revision()
  local header = assert(fs.read("runtime/include/genattn/model.h"))
  return tonumber((assert(header:match("GA_BITS_REVISION = (%d+)"), "model.h has no GA_BITS_REVISION")))
end

-- { revision, rows = { [model] = sum } }; without rows where there is no table yet.
function bits_table.read()
  local content, rows, revision = fs.read(bits_table.PATH) or "", {}, nil
  for line in content:gmatch("[^\n]+") do
    local model, sum = line:match("^(%S+) +(%x+)$")
    local number = line:match("^bits revision (%d+)$")
    if number then
      revision = tonumber(number)
    elseif model and #sum == 64 and not rows[model] then
      rows[model] = sum
    elseif not line:find("^#") then
      error(("%s: '%s' is no row; expected MODEL SHA256, each model once"):format(bits_table.PATH, line), 0)
    end
  end
  return { revision = revision, rows = rows }
end

function bits_table.write(rows)
  local lines = { (HEAD:format(bits_table.revision()):gsub("\n$", "")) }
  for _, model in ipairs(text.sorted_keys(rows)) do
    if rows[model] then lines[#lines + 1] = ("%-24s %s"):format(model, rows[model]) end
  end
  assert(fs.write_if_changed(bits_table.PATH, table.concat(lines, "\n") .. "\n") ~= nil, bits_table.PATH)
end

return bits_table
