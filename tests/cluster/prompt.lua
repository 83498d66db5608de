-- prompt.lua: writes a file of sequences of tokens to go on from, of several lengths: prompt.lua FILE FIRST SEQUENCES.
-- FIRST: the first token; SEQUENCES: 1 to 3. Tests nothing.
package.path = "tests/program/?.lua;" .. package.path
local files = require "program_files"

local first, sequences = tonumber(arg[2]), tonumber(arg[3])
local function token(i) return i == 0 and first or i * 37 % 299 end

files.write(arg[1], {
  files.tensor("tokens", "I32", { sequences, 7 }, token),
  files.tensor("lengths", "I32", { sequences }, { 7, 2, 5 }),
})
