-- fmt.lua: values as text that is safe and exact in C, in sh and in ninja files.
-- The only escapers there are; refuses what has no faithful spelling instead of repairing it.
local fmt = {}

local LARGEST_WHOLE = 2 ^ 53
local FLT_MIN_EXPONENT, FLT_DIGITS = -126, 24
local FLT_MAX = (2 - 2 ^ -23) * 2 ^ 127

-- A whole number in decimal; anything else is a bug of the caller.
function fmt.int(x)
  if type(x) ~= "number" or x ~= math.floor(x) or x > LARGEST_WHOLE or x < -LARGEST_WHOLE then
    error("int: not a whole number: " .. tostring(x), 2)
  end
  if x == 0 then return "0" end   -- -0.0 too
  return ("%d"):format(x)
end

-- Whether x lies halfway between two decimals of so many digits, where one Lua rounds up and the other to even.
local function is_halfway(x, digits)
  local mantissa = ("%.40e"):format(x):gsub("e.*$", ""):gsub("[-.]", "")
  return mantissa:find("^50*$", digits + 1) ~= nil
end

-- x in the fewest of `least` .. `most` digits for which keeps(text) holds; in one more where it lies halfway.
local function shortest(x, least, most, keeps)
  for digits = least, most do
    local text = ("%." .. digits .. "g"):format(x)
    if not is_halfway(x, digits) and (digits == most or keeps(text)) then return text end
  end
  return ("%." .. most + 1 .. "g"):format(x)
end

-- The shortest decimal that reads back as the double x; "inf", "-inf" and "nan" for what has none.
function fmt.double(x)
  if x ~= x then return "nan" end
  if x == 0 then return "0" end
  return shortest(x + 0.0, 15, 17, function(text) return tonumber(text) == x end)
end

-- x >= 0 with so many digits after the point, halves rounded up.
function fmt.fixed(x, digits)
  local unit = 10 ^ digits
  local scaled = math.floor(x * unit + 0.5)
  local whole = math.floor(scaled / unit)
  return ("%.0f.%0" .. digits .. "d"):format(whole, scaled - whole * unit)
end

-- The float nearest to the finite double x, ties to even, still as a double.
local function round_to_f32(x)
  local exponent, magnitude = FLT_MIN_EXPONENT, math.abs(x)
  while 2 ^ (exponent + 1) <= magnitude do exponent = exponent + 1 end
  -- Adding 1.5 * 2^52 units makes the FPU drop every bit below one unit of the float's last place.
  local shift = 1.5 * 2 ^ 52 * 2 ^ (exponent - FLT_DIGITS + 1)
  return (x + shift) - shift
end

-- A C float literal (0.125f, 1.0f, -INFINITY, NAN) that the compiler reads back as the float nearest to x.
-- INFINITY and NAN need <math.h>. A finite x beyond FLT_MAX is a bug of the caller.
function fmt.f32(x)
  if type(x) ~= "number" then error("f32: not a number: " .. tostring(x), 2) end
  if x ~= x then return "NAN" end
  if x == math.huge then return "INFINITY" end
  if x == -math.huge then return "-INFINITY" end
  local rounded = round_to_f32(x)
  if math.abs(rounded) > FLT_MAX then error(("f32: %.17g is beyond the range of float"):format(x), 2) end
  if rounded == 0 then return (x < 0 or 1 / x < 0) and "-0.0f" or "0.0f" end
  local digits = shortest(rounded, 9, 9)
  return digits .. (digits:find("[.e]") and "f" or ".0f")
end

-- A C float literal of what fmt.f32(x) leaves of x: the two add up to x as exactly as two floats can.
function fmt.f32_rest(x)
  return fmt.f32(x - round_to_f32(x))
end

local C_ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }

-- s as a C string literal, quotes included. Any bytes are allowed; octal escapes have three digits, so a digit
-- may follow, and no two question marks touch, so no trigraph can form.
function fmt.c_string(s)
  local body = s:gsub('[%c"\\\127-\255]', function(c)
    return C_ESCAPES[c] or ("\\%03o"):format(c:byte())
  end)
  body = body:gsub("%?+", function(run) return "?" .. ("\\?"):rep(#run - 1) end)
  return '"' .. body .. '"'
end

-- s as one line that cannot leave a C comment, of either kind, nor join the next line to it.
function fmt.comment(s)
  local line = s:gsub("[%c\127-\255]+", " "):gsub("%*/", "* /"):gsub("/%*", "/ *"):gsub("%s+$", "")
  line = line:gsub("%?+", function(run) return "?" .. (" ?"):rep(#run - 1) end)
  return line:sub(-1) == "\\" and line .. "." or line
end

-- A C expression plus a whole number, and times one: without what changes nothing.
function fmt.plus(expression, n)
  return n == 0 and expression or ("%s + %d"):format(expression, n)
end

-- The index of a sum that goes by k, so many places on.
function fmt.plus_k(n)
  return n == 0 and "k" or ("%d + k"):format(n)
end

function fmt.plus_times(expression, n, factor)
  if n == 0 then return expression end
  return n == 1 and ("%s + %s"):format(expression, factor) or ("%s + %d * %s"):format(expression, n, factor)
end

-- s as one word of sh; plain words stay bare.
function fmt.sh_quote(s)
  if s:find("^[%w_./=:,+@%%-]+$") then return s end
  return "'" .. s:gsub("'", "'\\''") .. "'"
end

local function refuse_control(s, where)
  if s:find("%c") then error(where .. ": control characters cannot be written to a ninja file", 3) end
end

-- s as the right-hand side of a ninja variable.
function fmt.ninja_escape(s)
  refuse_control(s, "ninja_escape")
  local escaped = s:gsub("%$", "$$"):gsub("^ ", "$ ")
  return escaped
end

-- s as one path of a ninja build line.
function fmt.ninja_path(s)
  refuse_control(s, "ninja_path")
  local escaped = s:gsub("[$ :|]", "$%0")
  return escaped
end

return fmt
