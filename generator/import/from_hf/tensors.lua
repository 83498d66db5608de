-- from_hf/tensors.lua: which tensors the safetensors files of a model folder hold, by their headers alone: one file, or
-- the shards that an index lists. What the data says is never read; the loader in runtime/ checks files in full.
local fs = require "base.fs"
local json = require "import.from_hf.json"
local text = require "base.text"
local types = require "schema.types"

local tensors = {}

local WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
local MAX_HEADER = 2 ^ 20 -- a hundred bytes a tensor, ten thousand of them: decoded within a second
local MAX_RANK, MAX_SHARDS = 8, 256
local FIRST_MODULE, LAST_MODULE = 1, 9
local LFS = "^version https://git%-lfs"

local function refuse(path, message, ...)
  return nil, path .. ": " .. message:format(...)
end

-- -- One header -----------------------------------------------------------------------------------------------------

-- The header's length that eight bytes say, little end first.
local function length_of(bytes)
  local length = 0.0
  for i = 8, 1, -1 do length = length * 256 + bytes:byte(i) end
  return length
end

local function is_count(value)
  return type(value) == "number" and value >= 0 and value < 2 ^ 53 and value == math.floor(value)
end

local function are_counts(list)
  if not json.is_array(list) then return false end
  for _, value in ipairs(list) do
    if not is_count(value) then return false end
  end
  return true
end

-- { dtype, shape } of one entry, or nil and what is wrong with it.
local function read_entry(entry, data_bytes)
  if not json.is_object(entry) then return nil, "found " .. json.shown(entry) .. "; expected an object" end
  if type(entry.dtype) ~= "string" or not entry.dtype:find("^%w[%w_]*$") or #entry.dtype > 16 then
    return nil, "dtype is " .. json.shown(entry.dtype) .. "; expected a word like F32"
  end
  if not are_counts(entry.shape) or #entry.shape > MAX_RANK then
    return nil, ("shape is %s; expected a list of at most %d whole numbers"):format(json.shown(entry.shape), MAX_RANK)
  end
  local offsets = entry.data_offsets
  if not are_counts(offsets) or #offsets ~= 2 or offsets[1] > offsets[2] then
    return nil, "data_offsets is " .. json.shown(offsets) .. "; expected two whole numbers, the lower one first"
  end
  if offsets[2] > data_bytes then
    return nil, ("data_offsets end at %.0f, but the file has %.0f bytes of data: it is cut short"):format(offsets[2],
      data_bytes)
  end
  return { dtype = entry.dtype, shape = entry.shape }
end

-- Every tensor of a decoded header into found[prefix .. name].
local function read_entries(path, header, data_bytes, found, prefix)
  for _, key in ipairs(text.sorted_keys(header)) do
    if key ~= "__metadata__" then
      local name = prefix .. key
      local entry, why = read_entry(header[key], data_bytes)
      if not entry then return refuse(path, "tensor %s: %s", types.shown(name), why) end
      if found[name] then return refuse(path, "tensor %s is in %s too", types.shown(name), found[name].path) end
      entry.path = path
      found[name] = entry
    end
  end
  return true
end

-- Adds the tensors of one safetensors file to found, with prefix (nil: none) before their names; true, or nil and a
-- message.
local function read_file(path, found, prefix)
  local start, why = fs.read_given(path, 64)
  if not start then return nil, why end
  local size
  size, why = fs.size(path)
  if not size then return nil, why end
  if #start < 8 then return refuse(path, "has %d bytes; a safetensors file starts with 8 for a length", size) end
  if start:find(LFS) then
    return refuse(path, "is what git keeps in place of the file; 'git lfs pull' gets the file itself")
  end
  local length = length_of(start)
  if length > MAX_HEADER then return refuse(path, "header of %.0f bytes; at most %.0f are read", length, MAX_HEADER) end
  if length + 8 > size then
    return refuse(path, "header of %.0f bytes in a file of %.0f: it is cut short", length, size)
  end
  local header
  header, why = json.decode_object(fs.read(path, 8 + length):sub(9), path .. ": header")
  if not header then return nil, why end
  return read_entries(path, header, size - length - 8, found, prefix or "")
end

-- -- Shards ---------------------------------------------------------------------------------------------------------

-- A shard's name from an index: a plain name in the same folder.
local function is_plain(name)
  return type(name) == "string" and #name <= 200 and name:find("^[%w_][%w_.%-]*%.safetensors$") ~= nil
end

-- The shards that a list of weights names, in byte order; or nil and a message.
local function shards_of(path, weight_map)
  if not json.is_object(weight_map) then
    return refuse(path, "weight_map is %s; expected an object", json.shown(weight_map))
  end
  local seen, shards = {}, {}
  for _, name in ipairs(text.sorted_keys(weight_map)) do
    local shard = weight_map[name]
    if not is_plain(shard) then
      return refuse(path, "weight_map puts %s into %s; expected a name like model-00001-of-00002.safetensors",
        types.shown(name), json.shown(shard))
    end
    if not seen[shard] then shards[#shards + 1] = shard end
    seen[shard] = true
  end
  if #shards > MAX_SHARDS then return refuse(path, "%d files; at most %d are read", #shards, MAX_SHARDS) end
  table.sort(shards)
  return shards
end

-- Every tensor is where the index says, and nowhere else.
local function check_index(folder, path, weight_map, found)
  for _, name in ipairs(text.sorted_keys(weight_map)) do
    local shard = folder .. "/" .. weight_map[name]
    if not found[name] then return refuse(shard, "no tensor %s, which %s puts there", types.shown(name), path) end
    if found[name].path ~= shard then
      return refuse(path, "puts %s into %s, but it is in %s", types.shown(name), shard, found[name].path)
    end
  end
  for _, name in ipairs(text.sorted_keys(found)) do
    if weight_map[name] == nil then
      return refuse(path, "does not list %s of %s", types.shown(name), found[name].path)
    end
  end
  return true
end

local function read_shards(folder, path, found)
  local index, why = json.read(path)
  if not index then return nil, why end
  local shards
  shards, why = shards_of(path, index.weight_map)
  if not shards then return nil, why end
  for _, shard in ipairs(shards) do
    local at, ok = folder .. "/" .. shard
    if fs.kind(at) == "nothing" then
      return refuse(path, "its shard %s is missing; expected it in the folder of the index", shard)
    end
    ok, why = read_file(at, found)
    if not ok then return nil, why end
  end
  local ok
  ok, why = check_index(folder, path, index.weight_map, found)
  if not ok then return nil, why end
  return shards
end

-- -- A folder -------------------------------------------------------------------------------------------------------

-- Adds the tensors of a folder's modules, as runtime/weights/weights_modules.c does; returns how many there are, or nil
-- and a message.
local function read_modules(folder, found)
  local count = 0
  for n = FIRST_MODULE, LAST_MODULE do
    local module = ("%d_Dense"):format(n)
    local path = folder .. "/" .. module .. "/" .. WHOLE
    if fs.kind(path) ~= "nothing" then
      local ok, why = read_file(path, found, module .. ".")
      if not ok then return nil, why end
      count = count + 1
    end
  end
  return count
end

-- The tensors of a folder's safetensors files and those of its modules: { path (of the file or the index), files,
-- found = { [name] = { dtype, shape, path } }, names (in byte order) }; nil if the folder has no such file; false and a
-- message if one cannot be read.
function tensors.read(folder)
  local found, files, ok, why = {}, 1
  local path = folder .. "/" .. WHOLE
  if fs.kind(path) ~= "nothing" then
    ok, why = read_file(path, found)
  else
    path = folder .. "/" .. INDEX
    if fs.kind(path) == "nothing" then return nil end
    ok, why = read_shards(folder, path, found)
    files = ok and #ok
  end
  if not ok then return false, why end
  local modules
  modules, why = read_modules(folder, found)
  if not modules then return false, why end
  files = files + modules
  return { path = path, files = files, found = found, names = text.sorted_keys(found) }
end

return tensors
