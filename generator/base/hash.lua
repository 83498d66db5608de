-- hash.lua: a number for a text, the same in every Lua: to tell texts apart, not to keep anyone from forging one.
local hash = {}

-- A polynomial in the text's bytes, three at a time, over the integers modulo 2^31 - 1: all products stay below 2^53,
-- so that doubles hold them. Two texts of n bytes agree at a base picked at random once in 2^31 * 3 / n.
local PRIME, BASES = 2147483647, { 1000003, 1999993 }

local function polynomial(s, base)
  local h = #s
  for i = 1, #s, 3 do
    local a, b, c = s:byte(i, i + 2)
    h = (h * base + a * 65536 + (b or 0) * 256 + (c or 0)) % PRIME
  end
  return h
end

-- The text's number as 16 hexadecimal digits.
function hash.hex(s)
  return ("%08x%08x"):format(polynomial(s, BASES[1]), polynomial(s, BASES[2]))
end

return hash
