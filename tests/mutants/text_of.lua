-- text_of.lua: the lists of mutants, and a mutant's file as the mutant changes it. Writes nothing.
local fs = require "base.fs"

local M = {}

M.LISTS = { "runtime", "program", "generator", "templates" }

-- How often a text occurs.
local function occurrences(text, piece)
  local count, at = 0, text:find(piece, 1, true)
  while at do
    count, at = count + 1, text:find(piece, at + 1, true)
  end
  return count
end

-- The mutant's file as it is changed, or nil and why that cannot be.
function M.mutant(mutant)
  local text, why = fs.read(mutant.file)
  if not text then return nil, why end
  local count = occurrences(text, mutant.from)
  if count ~= 1 then
    return nil, ("%s has the text to replace %d times; expected it once: mend the list"):format(mutant.file, count)
  end
  local at = text:find(mutant.from, 1, true)
  return text:sub(1, at - 1) .. mutant.to .. text:sub(at + #mutant.from)
end

return M
