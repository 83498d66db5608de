-- from_gguf/bytes.lua: numbers and texts out of the first bytes of a file, little-endian, one after the other, for Luas
-- without integers of 64 bits. Reading past the end raises an error that says whether the file has more.
local compat = require "base.compat"
local fmt = require "base.fmt"
local types = require "schema.types"

local bytes = {}

local Bytes = {}
Bytes.__index = Bytes

bytes.MORE = {} -- the error where the file goes on after the text

-- text: the file's first bytes; size: how many it has; path: it, for messages.
function bytes.over(text, size, path)
  return setmetatable({ text = text, size = size, path = path, at = 0 }, Bytes)
end

-- Raises a message as { why }, which names the file and the byte.
function Bytes:refuse(at, message, ...)
  error({ why = ("%s: byte %.0f: %s"):format(self.path, at, message:format(...)) }, 0)
end

-- Goes over so many bytes; the byte, from 0, at which they begin.
function Bytes:skip(count, what)
  local at = self.at
  if at + count > self.size then
    self:refuse(at, "%s takes %s bytes, but the file ends at byte %.0f: it is cut short, or damaged", what,
      types.shown(count), self.size)
  end
  if at + count > #self.text then error(bytes.MORE, 0) end
  self.at = at + count
  return at
end

-- A whole number of so many bytes; above 2^53 one of the two doubles next to it. It begins as a double, as integers of
-- Lua 5.4 would wrap round, and becomes an integer there where that is exact.
function Bytes:number(count, what)
  local at, value = self:skip(count, what), 0.0
  for i = count, 1, -1 do value = value * 256 + self.text:byte(at + i) end
  return value < 2 ^ 53 and math.floor(value) or value
end

-- The same in two's complement.
function Bytes:signed(count, what)
  local value = self:number(count, what)
  local range = 2 ^ (8 * count)
  return value >= range / 2 and value - range or value
end

function Bytes:string(what)
  local length = self:number(8, what)
  local at = self:skip(length, what)
  return self.text:sub(at + 1, at + length)
end

-- A float of so many bits of exponent and fraction, as a double; and within how much of it a number rounds to it: half
-- the distance to the next float, a quarter at a power of two, below which floats are closer. None of what is not
-- finite.
local function float_of(self, what, size, exponent_bits, fraction_bits)
  local low_bits = fraction_bits - 32 * (size / 4 - 1)
  local low = size == 8 and self:number(4, what) or 0
  local high = self:number(4, what)
  local sign = high >= 2 ^ 31 and -1 or 1
  local exponent = math.floor(high / 2 ^ low_bits) % 2 ^ exponent_bits
  local fraction = high % 2 ^ low_bits * 2 ^ (fraction_bits - low_bits) + low
  local most = 2 ^ exponent_bits - 1
  if exponent == most then return fraction == 0 and sign / 0 or 0 / 0 end
  local bias = (most - 1) / 2 + fraction_bits
  if exponent == 0 then return sign * fraction * 2 ^ (1 - bias), 2 ^ (1 - bias) / 2 end
  local unit = 2 ^ (exponent - bias)
  return sign * (2 ^ fraction_bits + fraction) * unit, unit / (fraction == 0 and 4 or 2)
end

-- The shortest decimal that the float is nearest to, as what was 1e-5 when it was written shall be that again.
function Bytes:f32(what)
  local value, reach = float_of(self, what, 4, 8, 23)
  if not reach then return value end
  for digits = 6, 9 do
    local near = tonumber(("%." .. digits .. "g"):format(value))
    if math.abs(near - value) < reach then return near end
  end
  return value
end

function Bytes:f64(what)
  return (float_of(self, what, 8, 11, 52))
end

-- Runs read(bytes) over the first bytes of a file, and again over twice as many while it wants more; no more than most.
-- What it returns, or nil and a message.
function bytes.read(path, size, most, read_start, read)
  local count = math.min(65536, most)
  while true do
    local text, why = read_start(path, count)
    if not text then return nil, why end
    local results = { pcall(read, bytes.over(text, size, path)) }
    if results[1] then return compat.unpack(results, 2) end
    local problem = results[2]
    if problem ~= bytes.MORE then
      if type(problem) == "table" and problem.why then return nil, problem.why end
      error(problem, 0)
    end
    if count >= most then return nil, ("%s: the header has more than %s bytes"):format(path, fmt.int(most)) end
    count = math.min(2 * count, most)
  end
end

return bytes
