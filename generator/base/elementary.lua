-- elementary.lua: logarithms and powers of two of what the generator writes into C, with the same bits under any C
-- library. Lua's own are the C library's, which round each in its way, so that generated files would differ.
local elementary = {}

-- ln 2, the nearest double.
elementary.ln2 = 0x1.62e42fefa39efp-1

local LAST = 23 -- power of (m - 1) / (m + 1), which is at most 0.172: the next is below 2^-60 of the first

-- The natural logarithm of a finite x > 0, within two units of the last place: x = 2^n m with m from
-- 0.707 to 1.414, and ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1).
function elementary.log(x)
  local n, m = 0, x
  while m >= 1.414213562373095 do n, m = n + 1, m / 2 end
  while m < 0.7071067811865475 do n, m = n - 1, m * 2 end
  local s = (m - 1) / (m + 1)
  local sum = 0
  for k = LAST, 1, -2 do sum = sum * s * s + 1 / k end
  return n * elementary.ln2 + 2 * s * sum
end

-- 2^x for an x that is a multiple of 2^-20: whole powers by products, the rest by square roots of 2, which are rounded
-- as IEEE 754 says.
function elementary.exp2(x)
  local whole = math.floor(x)
  local rest, root, y = x - whole, 2, 1
  while rest > 0 do
    root, rest = math.sqrt(root), rest * 2
    if rest >= 1 then y, rest = y * root, rest - 1 end
  end
  for _ = 1, math.abs(whole) do y = whole > 0 and y * 2 or y / 2 end
  return y
end

-- A finite x >= 0 as the nearest float.
function elementary.f32(x)
  local unit = 1
  while x >= unit * 2 do unit = unit * 2 end
  while x > 0 and x < unit do unit = unit / 2 end
  return math.floor(x / unit * 2 ^ 23 + 0.5) * unit / 2 ^ 23
end

return elementary
