-- slips.lua: checks that each mutant of tests/mutants still has its place: its file has the text to replace, once.
-- Builds nothing: `ninja mutants` does.
package.path = "generator/?.lua;generator/?/init.lua;tests/mutants/?.lua;" .. package.path

local text_of = require "text_of"

local wrong = 0
for _, list in ipairs(text_of.LISTS) do
  for _, mutant in ipairs(dofile(("tests/mutants/%s.lua"):format(list))) do
    local _, why = text_of.mutant(mutant)
    if why then
      print(("tests/mutants/%s.lua: %s: %s"):format(list, mutant.name, why))
      wrong = wrong + 1
    end
  end
end
os.exit(wrong == 0)
