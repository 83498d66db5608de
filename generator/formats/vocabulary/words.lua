-- formats/vocabulary/words.lua: formats of C expressions as functions that fill them in. Knows no word.
local words = {}

-- The function that a format is.
function words.spelled(format)
  return function(...) return format:format(...) end
end

-- The fields of a product's part, nil for none: formats as functions, others as they are.
function words.of(part)
  return part and setmetatable({}, { __index = function(_, word)
    local value = part[word]
    return type(value) == "string" and words.spelled(value) or value
  end })
end

return words
