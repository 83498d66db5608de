-- program_masks.lua: what `run` makes of a mask in each shape and type it may have; a part of program_test.lua.
local files = require "program_files"

local D = 8 -- of the fixture

-- Of four keys a mask shows the first two to queries with an even sum of batch and place, along the axes it has.
local function mask_of(dtype, shape)
  local rows, batch = shape[#shape - 1], #shape > 2 and shape[1] or 1
  local heads = #shape == 4 and shape[2] or 1
  local function shows(b, i) return ((b % batch) + (i % rows)) % 2 == 0 end
  return files.tensor("mask", dtype, shape, function(at)
    return (at % 4 < 2) == shows(math.floor(at / 4 / rows / heads), math.floor(at / 4)) and -256 or 0
  end), shows
end

-- Values are their rows' numbers, so that each output is the mean of those that the mask shows.
return function(path, expect_run, expect_values)
  local query = files.tensor("query", "F32", { 2, 4, D }, function(i) return math.floor(i / D) end)
  for _, shape in ipairs { { 4, 4 }, { 1, 4 }, { 2, 4, 4 }, { 2, 1, 1, 4 }, { 2, 1, 4, 4 }, { 2, 2, 4, 4 } } do
    for _, dtype in ipairs { "I32", "I64" } do
      local mask, shows = mask_of(dtype, shape)
      files.write(path "in", { query, mask })
      expect_run(0, "run --weights %weights --input %in --output %result")
      expect_values("output of a masked call", files.read(path "result").output, "2,4,8", function(at)
        local b = math.floor(at / 4 / D)
        return b * 4 + (shows(b, math.floor(at / D) % 4) and 0.5 or 2.5)
      end)
    end
  end
end
