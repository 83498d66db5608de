-- program_files.lua: safetensors files made and read by hand, for tests of the program.
-- Second implementation on purpose: it shares nothing with runtime/, and refuses nothing.

local files = {}

-- A whole number from 0 in so many bytes, the lowest first.
local function little_endian(n, width)
  local bytes = {}
  for i = 1, width do
    bytes[i] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(bytes)
end

files.little_endian = little_endian

-- Sign bit, exponent of two and fraction in [0, 1) of a number that is neither 0 nor infinite.
local function parts(x)
  local sign, exponent = x < 0 and 1 or 0, 0
  x = math.abs(x)
  while x >= 2 do x, exponent = x / 2, exponent + 1 end
  while x < 1 do x, exponent = x * 2, exponent - 1 end
  return sign, exponent, x - 1
end

local encode = {}

function encode.F32(x)
  if x ~= x then return "\0\0\192\127" end
  if x == 0 then return "\0\0\0\0" end
  if x == -math.huge then return "\0\0\128\255" end
  local sign, exponent, fraction = parts(x)
  return little_endian(sign * 2^31 + (exponent + 127) * 2^23 + math.floor(fraction * 2^23 + 0.5), 4)
end

-- The upper half of a float, for numbers that need no more.
function encode.BF16(x) return encode.F32(x):sub(3) end

-- For 0 and numbers whose exponent and fraction a half has room for.
function encode.F16(x)
  if x == 0 then return "\0\0" end
  local sign, exponent, fraction = parts(x)
  return little_endian(sign * 2^15 + (exponent + 15) * 2^10 + fraction * 2^10, 2)
end

function encode.F64(x)
  if x == 0 then return ("\0"):rep(8) end
  local sign, exponent, fraction = parts(x)
  local high = math.floor(fraction * 2^20)
  return little_endian((fraction * 2^20 - high) * 2^32, 4)
    .. little_endian(sign * 2^31 + (exponent + 1023) * 2^20 + high, 4)
end

function encode.I32(x) return little_endian(x, 4) end
function encode.I64(x) return little_endian(x, 8) end

local function decode_f32(bytes, at)
  local b1, b2, b3, b4 = bytes:byte(at, at + 3)
  local bits = b1 + b2 * 2^8 + b3 * 2^16 + b4 * 2^24
  local sign = bits >= 2^31 and -1 or 1
  local exponent = math.floor(bits / 2^23) % 256
  local fraction = bits % 2^23
  if exponent == 255 then return fraction == 0 and sign * math.huge or 0 / 0 end
  if exponent == 0 then return sign * fraction * 2^-149 end
  return sign * (1 + fraction / 2^23) * 2^(exponent - 127)
end

-- A tensor to write: files.tensor("query", "F32", {2, 4, 8}, values or one value or a function of the place from 0).
function files.tensor(name, dtype, shape, values)
  local count = 1
  for _, axis in ipairs(shape) do count = count * axis end
  local list = {}
  for i = 1, count do
    if type(values) == "function" then
      list[i] = values(i - 1)
    elseif type(values) == "table" then
      list[i] = values[i]
    else
      list[i] = values
    end
  end
  return { name = name, dtype = dtype, shape = shape, values = list }
end

function files.write(path, tensors)
  local entries, data, offset = {}, {}, 0
  for i, tensor in ipairs(tensors) do
    local bytes = {}
    for j, value in ipairs(tensor.values) do bytes[j] = encode[tensor.dtype](value) end
    data[i] = table.concat(bytes)
    entries[i] = ('"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}'):format(
      tensor.name, tensor.dtype, table.concat(tensor.shape, ","), offset, offset + #data[i])
    offset = offset + #data[i]
  end
  local header = "{" .. table.concat(entries, ",") .. "}"
  header = header .. (" "):rep(-#header % 8)
  local out = assert(io.open(path, "wb"))
  out:write(little_endian(#header, 8), header, table.concat(data))
  out:close()
end

function files.slurp(path)
  local stream = assert(io.open(path, "rb"))
  local text = stream:read("*a")
  stream:close()
  return text
end

-- A function that writes a text to the file `path` gives for a name.
function files.writer(path)
  return function(name, content)
    local stream = assert(io.open(path(name), "wb"))
    stream:write(content)
    stream:close()
  end
end

-- The F32 tensors of a file: name -> { shape = "10,20,512", values = {...} }.
function files.read(path)
  local bytes = files.slurp(path)
  local b1, b2, b3 = bytes:byte(1, 3)
  local size = b1 + b2 * 256 + b3 * 65536
  local tensors = {}
  for name, entry in bytes:sub(10, 8 + size):gmatch('"([^"]+)"%s*:%s*(%b{})') do
    local from, to = entry:match('"data_offsets"%s*:%s*%[%s*(%d+)%s*,%s*(%d+)')
    local tensor = { shape = entry:match('"shape"%s*:%s*%[([^%]]*)%]'):gsub("%s", ""), values = {} }
    for at = tonumber(from), tonumber(to) - 4, 4 do
      tensor.values[#tensor.values + 1] = decode_f32(bytes, 8 + size + at + 1)
    end
    tensors[name] = tensor
  end
  return tensors
end

-- The instruction sets of a program that run here, by its `info --json`, from the one that is taken on: best first.
function files.isas(info)
  local names = {}
  for isa, runs, picked in info:match('"variants": (%b[])'):gmatch(
    '"isa": "([%w_]+)".-"runs_here": (%l+).-"picked": (%l+)') do
    if runs == "true" and (names[1] or picked == "true") then names[#names + 1] = isa end
  end
  return names
end

return files
