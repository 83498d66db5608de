-- from_gguf/header.lua: what the header of a GGUF file says: metadata as an object of objects, one for each part of a
-- key between dots, and the names, types and shapes of tensors. Of the data, only small lists of floats are read that a
-- spec takes; the loader in runtime/ checks files in full.
local bytes = require "import.from_gguf.bytes"
local fs = require "base.fs"
local next_step = require "import.next_step"
local text = require "base.text"
local types = require "schema.types"

local header = {}

local MAX_HEADER = 16 * 2 ^ 20 -- as the loader has it
local MAX_KEY, MAX_NAME, MAX_AXES, MAX_TENSORS, MOST_KEPT = 65535, 256, 4, 65536, 512
local MOST_FLOATS, MOST_FILES = 512, 99999
local is_file_count = types.count(1, MOST_FILES)
local LARGEST = 2 ^ 53

local OBJECT, ARRAY = { __jsontype = "object" }, { __jsontype = "array" } -- as from_hf/json.lua knows them

-- A table of values by name as an object of the metadata.
function header.object(values)
  return setmetatable(values, OBJECT)
end

-- -- Metadata -------------------------------------------------------------------------------------------------------

-- Types of values by their numbers: bytes of one, and how it is read.
local function whole(size) return { size, function(b) return b:number(size, "a value") end } end
local function signed(size) return { size, function(b) return b:signed(size, "a value") end } end

local TEXT, LIST = 8, 9
local VALUES = {
  [0] = whole(1), [1] = signed(1), [2] = whole(2), [3] = signed(2), [4] = whole(4), [5] = signed(4),
  [6] = { 4, function(b) return b:f32("a value") end }, [7] = { 1, function(b) return b:number(1, "a value") ~= 0 end },
  [TEXT] = { 8, function(b) return b:string("a text") end }, [10] = whole(8), [11] = signed(8),
  [12] = { 8, function(b) return b:f64("a value") end },
}

-- A list as a value: its first elements, as no field that is read has more than a number for each layer.
local function read_list(b, key)
  local at = b.at
  local kind, count = b:number(4, "a type"), b:number(8, "the length of a list")
  local value = VALUES[kind]
  if not value then b:refuse(at, "key %s is a list of type %.0f", types.shown(key), kind) end
  local list = setmetatable({}, ARRAY)
  if kind ~= TEXT and count > MOST_KEPT then
    b:skip(count * value[1], "a list")
    return list
  end
  local i = 0
  while i < count do
    i = i + 1
    local item = value[2](b)
    if i <= MOST_KEPT then list[i] = item end
  end
  return list
end

-- Keys outside the architecture's own that say something of the numbers; all others outside it are read by nothing.
local READ_BESIDE = { ["general.architecture"] = true, ["general.alignment"] = true, ["split.no"] = true,
  ["split.count"] = true, ["split.tensors.count"] = true }

-- Every value by its key, in no order. A key that is read may be there once; of others the last stands.
local function read_values(b, count)
  local values, places, twice, i = {}, {}, {}, 0
  while i < count do
    i = i + 1
    local at, key = b.at, b:string("a key")
    local kind_at, kind = b.at, b:number(4, "a type")
    if #key == 0 or #key > MAX_KEY then b:refuse(at, "a key of %d bytes; expected 1 to %d", #key, MAX_KEY) end
    if kind ~= LIST and not VALUES[kind] then
      b:refuse(kind_at, "key %s has a value of type %.0f; expected one of 0 to 12", types.shown(key), kind)
    end
    if values[key] ~= nil then twice[key] = twice[key] or at end
    if kind == LIST then values[key] = read_list(b, key) else values[key] = VALUES[kind][2](b) end
    places[key] = at
  end
  return values, places, twice
end

-- Puts a value under its key, "a.b.c" as c of b of a; false where a part of the key has a value of its own.
local function put(root, key, value)
  local object, before, last = root, key:match("^(.-)([^.]+)$")
  for part in before:gmatch("[^.]+") do
    if object[part] == nil then object[part] = setmetatable({}, OBJECT) end
    object = object[part]
    if getmetatable(object) ~= OBJECT then return false end
  end
  if object[last] ~= nil then return false end
  object[last] = value
  return true
end

-- Whether a key says something of the model's numbers.
local function is_read(key, architecture)
  return READ_BESIDE[key] or type(architecture) == "string" and key:sub(1, #architecture + 1) == architecture .. "."
end

-- The keys that are read, as objects of objects; others may have any name and any order.
local function read_metadata(b, count)
  local values, places, twice = read_values(b, count)
  local root, architecture = setmetatable({}, OBJECT), values["general.architecture"]
  for _, key in ipairs(text.sorted_keys(values)) do
    if is_read(key, architecture) then
      if twice[key] then b:refuse(twice[key], "key %s is there twice", types.shown(key)) end
      if key:find("[^%w_.-]") or key:find("..", 1, true) or key:find("%.$") then
        b:refuse(places[key], "key %s; expected letters, digits, _ and -, with dots between", types.shown(key))
      end
      if not put(root, key, values[key]) then
        b:refuse(places[key], "key %s is below another key, which has a value", types.shown(key))
      end
    end
  end
  return root
end

-- -- Tensors --------------------------------------------------------------------------------------------------------

-- ggml's types by their numbers: name, bytes of a block, its elements; what the loader reads.
local TYPES = {
  [0] = { "F32", 4, 1 }, [1] = { "F16", 2, 1 }, [2] = { "Q4_0", 18, 32 }, [3] = { "Q4_1", 20, 32 },
  [6] = { "Q5_0", 22, 32 }, [7] = { "Q5_1", 24, 32 }, [8] = { "Q8_0", 34, 32 }, [10] = { "Q2_K", 84, 256 },
  [11] = { "Q3_K", 110, 256 }, [12] = { "Q4_K", 144, 256 }, [13] = { "Q5_K", 176, 256 }, [14] = { "Q6_K", 210, 256 },
  [20] = { "IQ4_NL", 18, 32 }, [24] = { "I8", 1, 1 }, [25] = { "I16", 2, 1 }, [26] = { "I32", 4, 1 },
  [27] = { "I64", 8, 1 }, [28] = { "F64", 8, 1 }, [30] = { "BF16", 2, 1 },
}

-- Names of types that it does not.
local OTHERS = {
  [9] = "Q8_1", [15] = "Q8_K", [16] = "IQ2_XXS", [17] = "IQ2_XS", [18] = "IQ3_XXS", [19] = "IQ1_S",
  [21] = "IQ3_S", [22] = "IQ2_S", [23] = "IQ4_XS", [29] = "IQ1_M", [34] = "TQ1_0", [35] = "TQ2_0", [39] = "MXFP4",
}

local READ = "F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K or IQ4_NL"

-- A shape with the innermost dimension last, where GGUF has it first; and how many elements.
local function read_shape(b, name)
  local at = b.at
  local axes, elements, shape = b:number(4, "a number of axes"), 1, {}
  if axes > MAX_AXES then
    b:refuse(at, "tensor %s has %.0f axes; expected at most %d", types.shown(name), axes, MAX_AXES)
  end
  for i = axes, 1, -1 do
    shape[i] = b:number(8, "an axis")
    elements = elements * shape[i]
    if shape[i] >= LARGEST or elements >= LARGEST then
      b:refuse(at, "tensor %s has more elements than can be", types.shown(name))
    end
  end
  return shape, elements
end

local function read_tensor(b, found)
  local at, name = b.at, b:string("a tensor's name")
  if name == "" or #name > MAX_NAME or name:find("%c") then
    b:refuse(at, "tensor %s; expected a name of 1 to %d bytes without control characters", types.shown(name), MAX_NAME)
  end
  if found[name] then b:refuse(at, "tensor %s is there twice", types.shown(name)) end
  local shape, elements = read_shape(b, name)
  local type_at, number = b.at, b:number(4, "a tensor's type")
  local kind = TYPES[number]
  if not kind then
    b:refuse(type_at, "tensor %s is of type %.0f (%s), which is not read; expected %s: take the model quantized so",
      types.shown(name), number, OTHERS[number] or "of no name", READ)
  end
  if elements % kind[3] ~= 0 or (shape[#shape] or 0) % kind[3] ~= 0 then
    b:refuse(at, "tensor %s of %s has rows of %.0f; expected a multiple of %d", types.shown(name), kind[1],
      shape[#shape] or 1, kind[3])
  end
  found[name] = { dtype = kind[1], shape = shape, path = b.path, at = at, offset = b:number(8, "an offset"),
    bytes = elements / kind[3] * kind[2] }
end

-- Where data begin and end is within the file.
local function check_places(b, found, names, alignment)
  local start = math.ceil(b.at / alignment) * alignment
  for _, name in ipairs(names) do
    local tensor = found[name]
    if tensor.bytes > 0 and start + tensor.offset + tensor.bytes > b.size then
      b:refuse(tensor.at, "tensor %s ends at byte %.0f, but the file has %.0f: it is cut short, or damaged",
        types.shown(name), start + tensor.offset + tensor.bytes, b.size)
    end
    tensor.begin = start + tensor.offset
  end
end

-- The floats of a short list of F32 among the tensors of a file, as a list of the metadata; nil where there is no such
-- tensor, or nil and a message.
function header.floats(held, name)
  local tensor = held.found[name]
  if not tensor then return nil end
  local count = tensor.shape[1]
  if tensor.dtype ~= "F32" or #tensor.shape ~= 1 or count > MOST_FLOATS then
    return nil, ("%s: byte %.0f: tensor %s; expected a list of at most %d F32"):format(held.path, tensor.at,
      types.shown(name), MOST_FLOATS)
  end
  local part, why = fs.read_part(tensor.path, tensor.begin, tensor.bytes)
  if not part then return nil, why end
  local b, list = bytes.over(part, #part, tensor.path), setmetatable({}, ARRAY)
  for i = 1, count do list[i] = b:f32("a number") end
  return list
end

-- -- A file ---------------------------------------------------------------------------------------------------------

local function check_version(b, version)
  if version == 2 or version == 3 then return end
  if version > 0 and version % 65536 == 0 then
    b:refuse(4, "a big-endian GGUF file; expected a little-endian one")
  end
  b:refuse(4, "GGUF version %.0f; expected 2 or 3", version)
end

local function alignment_of(b, metadata)
  local general = metadata.general
  local alignment = getmetatable(general) == OBJECT and general.alignment or 32
  for power = 3, 20 do
    if alignment == 2 ^ power then return alignment end
  end
  b:refuse(0, "general.alignment is %s; expected a power of two from 8 to 1048576", types.shown(alignment))
end

local function read(b)
  if b.size < 24 or b.text:sub(1, 4) ~= "GGUF" then
    b:refuse(0, "is not a GGUF file: it does not begin with GGUF and two counts%s", next_step.other_file(b.path))
  end
  b:skip(4, "the magic")
  local version = b:number(4, "the version")
  check_version(b, version)
  local count, keys = b:number(8, "the number of tensors"), b:number(8, "the number of keys")
  if count > MAX_TENSORS then b:refuse(8, "%.0f tensors; expected at most %d", count, MAX_TENSORS) end
  local metadata, found = read_metadata(b, keys), {}
  for _ = 1, count do read_tensor(b, found) end
  local names = text.sorted_keys(found)
  check_places(b, found, names, alignment_of(b, metadata))
  return { path = b.path, files = 1, found = found, names = names, metadata = metadata, version = version }
end

-- The header of one file, or nil and a message.
local function read_file(path)
  local start, why = fs.read_given(path, 4)
  if not start then return nil, why end
  local size
  size, why = fs.size(path)
  if not size then return nil, why end
  return bytes.read(path, size, math.min(size, MAX_HEADER), fs.read, read)
end

-- -- Several files --------------------------------------------------------------------------------------------------

-- What a file says of itself as one of several: { no, count, tensors }.
local function split_of(held)
  local split = held.metadata.split
  if getmetatable(split) ~= OBJECT then return { no = 0, count = 1 } end
  return { no = split.no or 0, count = split.count or 1,
    tensors = getmetatable(split.tensors) == OBJECT and split.tensors.count or nil }
end

-- The path of part `no`, from 1 on, of the first one's; nil and a message where that has another name.
local function path_of_part(path, no, count)
  local before, is_first = path:gsub("%-00001%-of%-(%d%d%d%d%d)%.gguf$", function(said)
    return tonumber(said) == count and "" or nil
  end)
  if is_first == 0 or before == path then
    return nil, ("%s: the first of %.0f files; expected a name that ends in -00001-of-%05d.gguf, from which follow " ..
      "the others"):format(path, count, count)
  end
  return ("%s-%05d-of-%05d.gguf"):format(before, no, count)
end

-- Adds the tensors of part i of several, from 0 on, to those of the first; true, or nil and a message.
local function add_part(held, split, i)
  local path, why = path_of_part(held.path, i + 1, split.count)
  local part
  if path then part, why = read_file(path) end
  if not part then return nil, why end
  local own = split_of(part)
  if own.no ~= i or own.count ~= split.count or own.tensors ~= split.tensors then
    return nil, ("%s: is not part %d of %d of the model of %s"):format(path, i + 1, split.count, held.path)
  end
  for _, name in ipairs(part.names) do
    if held.found[name] then return nil, ("%s: tensor %s is in two files"):format(path, types.shown(name)) end
    held.found[name] = part.found[name]
  end
  return true
end

-- The header of the file at a path and, where it is the first of several, of the others: { path, files (how many),
-- found = { [name] = { dtype, shape, path, ... } }, names (in byte order), metadata (of the first), version }; or nil
-- and a message.
function header.read(path)
  local held, why = read_file(path)
  if not held then return nil, why end
  local split = split_of(held)
  if not is_file_count(split.count) or split.no ~= 0 then
    return nil, ("%s: split.no is %s and split.count %s; expected 0, as the first of at most %d files has"):format(path,
      types.shown(split.no), types.shown(split.count), MOST_FILES)
  end
  held.files = split.count
  for i = 1, held.files - 1 do
    local ok
    ok, why = add_part(held, split, i)
    if not ok then return nil, why end
  end
  held.names = text.sorted_keys(held.found)
  return held
end

return header
