-- types.lua: the types a spec field may have, each a function that checks one value and gives its canonical form.
-- Looks at one value at a time; what two fields mean together is the features' business.
local fmt = require "base.fmt"
local text = require "base.text"

local types = {}

local LARGEST = 2 ^ 31 - 1
local MAX_SHOWN = 64

-- How messages show a value, the same under every Lua and never longer than a line.
local SHOWN = {
  string = function(value)
    local printable = value:gsub("[%c\127-\255]", "?")
    return '"' .. (#printable > MAX_SHOWN and printable:sub(1, MAX_SHOWN) .. "..." or printable) .. '"'
  end,
  number = function(value)
    if value ~= value then return "not a number" end
    return fmt.double(value)
  end,
  table = function() return "a table" end,
}

local function shown(value)
  return (SHOWN[type(value)] or tostring)(value)
end
types.shown = shown

-- The number that plain decimal digits say, the same double under every Lua; nil for anything else (0x10, 10LL, inf).
function types.decimal(word)
  local mantissa = word:match("^%-?([%d.]+)$") or word:match("^%-?([%d.]+)[eE][+-]?%d+$")
  if not mantissa or not mantissa:find("%d") or mantissa:find("%..*%.") then return nil end
  return tonumber(word) + 0.0
end

-- A word of a command line as a number; any other stays a word, for the field's check to refuse.
function types.to_number(word)
  return types.decimal(word) or word
end

local function is_whole(value)
  return type(value) == "number" and value == math.floor(value) and math.abs(value) <= LARGEST
end

local function as_is(word)
  return word
end

-- What checks take, by the check: words; and on a command line value and parse, as fields have them.
local DESCRIBED = setmetatable({}, { __mode = "k" })

-- A check that documents can describe; Markdown in words. value: what stands for it in --help; parse: a word of a
-- command line as what it checks, nil: as the word is.
function types.described(words, check, value, parse)
  DESCRIBED[check] = { words = words, value = value, parse = parse or as_is }
  return check
end

-- What a check takes, in words; nil where nobody said.
function types.words(check)
  return DESCRIBED[check] and DESCRIBED[check].words
end

-- Adds to a field of the command line what its check says of its words there, where the field does not.
function types.complete(field)
  if not field.flag then return end
  local of_check = DESCRIBED[field.check] or { parse = as_is }
  field.value, field.parse = field.value or of_check.value, field.parse or of_check.parse
end

-- A whole number from min to max (default 2^31 - 1).
function types.count(min, max)
  max = max or LARGEST
  return types.described(("a whole number, %d to %d"):format(min, max), function(value)
    if not is_whole(value) or value < min or value > max then
      return nil, ("must be a whole number from %d to %d, found %s"):format(min, max, shown(value))
    end
    return math.floor(value)
  end, "N", types.to_number)
end

-- A length: 128 is exactly 128; "1..512" is any length from 1 to 512. Canonical: { min = m, max = n }.
function types.length(max)
  local check = types.count(1, max)
  local function range(value)
    local low, high = value:match("^(%d+)%.%.(%d+)$")
    local exact = value:match("^%d+$")
    local min, max_len = check(tonumber(low or exact)), check(tonumber(high or exact))
    if not min or not max_len or min > max_len then
      return nil, ('must be a length like 128 or a range like "1..512" (at most %d), found %s'):format(
        max, shown(value))
    end
    return { min = min, max = max_len }
  end
  local words = ('a length such as `128`, or a range such as `"1..512"`; at most %d'):format(max)
  return types.described(words, function(value)
    if type(value) == "string" then return range(value) end
    local n, why = check(value)
    if not n then return nil, why end
    return { min = n, max = n }
  end, "N|MIN..MAX", types.to_number)
end

-- One of a list of strings.
function types.choice(names)
  return types.described('`"' .. table.concat(names, '"`, `"') .. '"`', function(value)
    for _, name in ipairs(names) do
      if value == name then return value end
    end
    local near = type(value) == "string" and text.nearest(value, names)
    return nil, ("must be one of %s, found %s%s"):format(table.concat(names, ", "), shown(value),
      near and ("; did you mean %q?"):format(near) or "")
  end, table.concat(names, "|"))
end

-- A finite number from min to max.
function types.number(min, max)
  return types.described(("a number, %g to %g"):format(min, max), function(value)
    if type(value) ~= "number" or not (value >= min and value <= max) then
      return nil, ("must be a number from %g to %g, found %s"):format(min, max, shown(value))
    end
    return value
  end, "X", types.to_number)
end

-- A list of so many numbers at most, each from min to max.
function types.numbers(min, max, most)
  local one = types.number(min, max)
  return types.described(("a list of at most %d numbers, each %g to %g"):format(most, min, max), function(value)
    if type(value) ~= "table" or #value < 1 or #value > most then
      return nil, ("must be a list of 1 to %d numbers, found %s"):format(most, shown(value))
    end
    local count = 0
    for _ in pairs(value) do count = count + 1 end
    if count ~= #value then return nil, "must be a list of numbers, without keys" end
    for i, item in ipairs(value) do
      local ok, why = one(item)
      if not ok then return nil, ("item %d %s"):format(i, why) end
    end
    return value
  end)
end

local WORDS = { yes = true, no = false }

-- yes or no of a command line.
function types.to_boolean(word)
  if WORDS[word] == nil then return nil, ("must be yes or no, found %s"):format(shown(word)) end
  return WORDS[word]
end

types.boolean = types.described("`true`, `false`", function(value)
  if type(value) ~= "boolean" then return nil, ("must be true or false, found %s"):format(shown(value)) end
  return value
end, "yes|no", types.to_boolean)

-- What tensor names in a weights file may be: printable ASCII, nothing that ends a C string or a comment.
function types.tensor_name(value)
  if type(value) ~= "string" or not value:match("^[%w_][%w_./%-]*$") or #value > 200 then
    return nil, ("must be a tensor name (letters, digits and _ . / -, at most 200), found %s"):format(shown(value))
  end
  return value
end

return types
