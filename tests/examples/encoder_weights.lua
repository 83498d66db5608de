-- encoder_weights.lua: made up weights for the model of examples/encoder.lua, for the tests of programs that have it.
-- Tests nothing.
local files = require "program_files"

-- Writes a tensor for every weight that `info` (the text of the program's info --json) names, under its own name: an
-- embedding of numbers up to 1, norms that nearly leave rows as they are, and the rest small.
return function(path, info)
  local list = {}
  for role, shape in info:gmatch('"role": "([^"]*)",%s*"shape": %[([%d,%s]*)%]') do
    local sizes, number = {}, #list
    local largest, middle = role == "embedding" and 1 or 1 / 16, role:find("norm_weight") and 1 or 0
    for size in shape:gmatch("%d+") do sizes[#sizes + 1] = tonumber(size) end
    list[#list + 1] = files.tensor(role, "F32", sizes, function(i)
      return middle + largest * ((i * i + 37 * i + number) % 127 - 63) / 64
    end)
  end
  files.write(path, list)
end
