-- from_hf/match.lua: the tensors of a model folder held against a spec: under which map and prefix they are all there,
-- which are not read, and why. Reads no file.
local json = require "import.from_hf.json"
local map_sources = require "plan.maps"
local maps = require "import.maps"
local spec = require "spec"
local types = require "schema.types"

local match = {}

local MOST_SAID = 4 -- messages of one kind

-- -- One map and one prefix -----------------------------------------------------------------------------------------

local function shape_text(shape)
  local sizes = {}
  for i, size in ipairs(shape) do sizes[i] = ("%.0f"):format(size) end
  return "[" .. table.concat(sizes, ", ") .. "]"
end

-- Whether a tensor has a shape, but for axes of 1 in front.
local function has_shape(found, wanted)
  local extra = #found - #wanted
  for i, size in ipairs(found) do
    if size ~= (i <= extra and 1 or wanted[i - extra]) then return false end
  end
  return extra >= 0
end

-- Holds the tensors against a spec with these fields under a map's name and a prefix ("": none).
local function try(tensors, made, map_name, prefix, label)
  local fields = {}
  for field, value in pairs(made) do fields[field] = value end
  fields.weights, fields.weights_prefix = map_name, prefix ~= "" and prefix or nil
  local s, errors = spec.from_fields(fields, label)
  if not s then return nil, errors end
  local result = { spec = s, map = map_name, prefix = prefix, used = {}, found = 0, missing = {}, wrong = {} }
  local sources, refused = map_sources(s, maps.get(map_name, true))
  for i, source in ipairs(sources) do
    local tensor = tensors.found[source.tensor]
    local is_new = not result.used[source.tensor]
    result.used[source.tensor] = true
    if is_new and not tensor then
      result.missing[#result.missing + 1] = ("no tensor %s, which map %s expects as %s for %s"):format(
        types.shown(source.tensor), map_name, shape_text(source.shape), s.roles[i].name)
    elseif is_new then
      result.found = result.found + 1
      if not has_shape(tensor.shape, source.shape) then
        result.wrong[#result.wrong + 1] = ("tensor %s has shape %s; map %s expects %s for %s"):format(
          types.shown(source.tensor), shape_text(tensor.shape), map_name, shape_text(source.shape), s.roles[i].name)
      end
    end
  end
  result.refused = refused
  return result
end

-- The map and prefix of the data file under which most tensors are there, the first of equals.
local function best_of(tensors, made, data, label)
  local best
  for _, map_name in ipairs(made.weights and { made.weights } or data.maps) do
    for _, prefix in ipairs(made.weights_prefix and { made.weights_prefix } or data.prefixes) do
      local result, errors = try(tensors, made, map_name, prefix, label)
      if not result then return nil, errors end
      if not best or result.found > best.found then best = result end
    end
  end
  return best
end

-- -- What is not read -----------------------------------------------------------------------------------------------

-- Whether a name is one that a word says, or begins with it: whole parts between dots, of which * is any one.
local function begins(name, word)
  local pattern = word:gsub("[^%w*]", "%%%0"):gsub("%*", "[^.]+")
  return (name .. "."):find("^" .. pattern .. "%.") ~= nil
end

-- Whether one of the words says a name, or what stands of it after a prefix.
local function is_named(name, prefix, words)
  local inner = prefix ~= "" and name:sub(1, #prefix) == prefix and name:sub(#prefix + 1)
  for word in words:gmatch("%S+") do
    if begins(name, word) or (inner and begins(inner, word)) then return true end
  end
  return false
end

local function value_at(s, path)
  local group, inner = path:match("^([^.]+)%.(.+)$")
  if group then return s[group] and s[group][inner] end
  return s[path]
end

-- Why a tensor is not read, or nil.
local function reason(result, data, ignored, name)
  for part in pairs(ignored) do
    if is_named(name, "", part) then return "as asked for" end
  end
  for _, row in ipairs(data.unread) do
    local applies = not row.where or value_at(result.spec, row.where[1]) == row.where[2]
    if applies and is_named(name, result.prefix, row[2]) then return row[1] end
  end
end

-- The tensors that no role reads: groups { why, names } in order, and those that nothing says a word of.
local function unread(result, tensors, data, ignored)
  local groups, by_reason, unknown = {}, {}, {}
  for _, name in ipairs(tensors.names) do
    local why = not result.used[name] and reason(result, data, ignored, name)
    if why and not by_reason[why] then
      by_reason[why] = { why = why, names = {} }
      groups[#groups + 1] = by_reason[why]
    end
    if why then
      by_reason[why].names[#by_reason[why].names + 1] = name
    elseif not result.used[name] then
      unknown[#unknown + 1] = name
    end
  end
  return groups, unknown
end

-- -- All of it ------------------------------------------------------------------------------------------------------

-- Appends messages of one kind, the first few in full.
local function add_messages(errors, path, messages)
  for i = 1, math.min(#messages, MOST_SAID) do errors[#errors + 1] = path .. ": " .. messages[i] end
  if #messages > MOST_SAID then
    errors[#errors + 1] = ("%s: and %d more like this"):format(path, #messages - MOST_SAID)
  end
end

local function refusals(result, tensors)
  local messages = {}
  for _, entry in ipairs(result.refused) do
    if tensors.found[entry.tensor] then
      messages[#messages + 1] = ("tensor %s is %s under map %s, which the spec leaves out"):format(
        types.shown(entry.tensor), entry.role, result.map)
    end
  end
  return messages
end

local function unknowns(names)
  local messages = {}
  for i, name in ipairs(names) do
    messages[i] = ("nothing reads tensor %s, and what it is for is not known; where it changes no result, " ..
      "--hf-ignore %s goes on without it"):format(types.shown(name), json.plain(name))
  end
  return messages
end

-- Types of the tensors that are read, each once, in byte order.
local function dtypes_of(result, tensors)
  local seen, list = {}, {}
  for name in pairs(result.used) do
    local dtype = tensors.found[name].dtype
    if not seen[dtype] then list[#list + 1] = dtype end
    seen[dtype] = true
  end
  table.sort(list)
  return list
end

-- Marks the names to be ignored that tensors have.
local function mark_used(tensors, ignored)
  for part in pairs(ignored) do
    for _, name in ipairs(tensors.names) do
      if is_named(name, "", part) then ignored[part] = "used" end
    end
  end
end

-- Holds the tensors of a folder against the fields of a spec. data: the model type's data file; ignored: set of names
-- not to ask about, marked as "used" where the files have them; label: before messages about the spec. Returns { spec,
-- map, prefix, found, unread, dtypes }, or nil and every message.
function match.find(tensors, made, data, ignored, label)
  mark_used(tensors, ignored)
  local result, errors = best_of(tensors, made, data, label)
  if not result then return nil, errors end
  errors = {}
  local groups, unknown = unread(result, tensors, data, ignored)
  add_messages(errors, tensors.path, result.missing)
  add_messages(errors, tensors.path, result.wrong)
  add_messages(errors, tensors.path, refusals(result, tensors))
  if #errors == 0 then add_messages(errors, tensors.path, unknowns(unknown)) end
  if #errors > 0 then return nil, errors end
  return { spec = result.spec, map = result.map, prefix = result.prefix, found = result.found, unread = groups,
    dtypes = dtypes_of(result, tensors) }
end

return match
