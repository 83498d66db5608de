-- corpus.lua: prints lines of different lengths for the tests of clusters, an empty one and one that the model cuts
-- among them. Tests nothing.
local WORDS = { "a cat", "the dog", "sat", "on the mat", "cats" }

for i = 1, 203 do
  local line = {}
  for j = 1, i * 37 % 19 do line[j] = WORDS[(i + j * j) % 5 + 1] end
  io.write(table.concat(line, " "), "\n")
end
