-- from_hf/json.lua: JSON files of model folders, read by dkjson, with limits and with messages that name the file.
-- Knows no field of any file; null is json.null, which differs from a missing value.
local compat = require "base.compat"
local fs = require "base.fs"
local grammar = require "import.from_hf.json_grammar"
local types = require "schema.types"

local json = { null = {} }

local PACKAGE = ("reading a model folder needs dkjson for %s (Debian: lua-dkjson; as root, ./configure " ..
  "--install-deps installs it)"):format(compat.version)
local MAX_NAME = 100 -- of what is shown
local MAX_BYTES = 2 ^ 24 -- of a file: a tokenizer_config.json that lists thousands of added tokens has megabytes

local function library()
  local found, dkjson = pcall(require, "dkjson")
  return found and dkjson or nil
end

-- Whether there is a library to read with; or nil and a message that names its package.
function json.available()
  if library() then return true end
  return nil, PACKAGE
end

-- Whether a decoded value is an object, and whether it is an array.
local function json_type(value)
  local meta = type(value) == "table" and value ~= json.null and getmetatable(value)
  return meta and meta.__jsontype
end

-- How many names the text gives values to: strings with a colon after them.
local function names_in(text)
  local count, from = 0, text:find('"', 1, true)
  while from do
    local stop = from
    repeat
      stop = text:find('["\\]', stop + 1)
      local is_escape = stop and text:byte(stop) == 92
      if is_escape then stop = stop + 1 end
    until not is_escape
    if not stop then return count end
    if text:find("^%s*:", stop + 1) then count = count + 1 end
    from = text:find('"', stop + 1, true)
  end
  return count
end

-- How many a decoded value has: fewer, where one was given twice.
local function names_of(value)
  local count = 0
  for _, inner in pairs(json_type(value) and value or {}) do
    count = count + (json_type(value) == "object" and 1 or 0) + names_of(inner)
  end
  return count
end

-- The value that JSON text says, or nil and why not. `label` stands before messages.
function json.decode(text, label)
  local is_sound, at, why = grammar.check(text)
  if not is_sound then
    local line, column = grammar.place(text, at)
    return nil, ("%s: no JSON at line %d, column %d: %s"):format(label, line, column, why)
  end
  local value, _, message = library().decode(text, 1, json.null)
  if message then return nil, ("%s: no JSON: %s"):format(label, types.shown(message)) end
  if names_in(text) ~= names_of(value) then return nil, label .. ": no JSON: an object gives a name twice" end
  return value
end

function json.is_object(value) return json_type(value) == "object" end
function json.is_array(value) return json_type(value) == "array" end

local NAMES = { object = "an object", array = "a list" }

-- A value as messages have it.
function json.shown(value)
  if value == nil then return "missing" end
  if value == json.null then return "null" end
  return NAMES[json_type(value)] or types.shown(value)
end

-- A name from a file as messages and tables have it, without quotes.
function json.plain(name)
  local printable = name:gsub("[%c\127-\255]", "?")
  return #printable > MAX_NAME and printable:sub(1, MAX_NAME) .. "..." or printable
end

-- As json.decode, for what must be an object.
function json.decode_object(text, label)
  local value, why = json.decode(text, label)
  if value == nil then return nil, why end
  if json.is_object(value) then return value end
  return nil, ("%s: found %s; expected an object"):format(label, json.shown(value))
end

local function read(path, decoder)
  local text, why = fs.read_given(path, MAX_BYTES + 1)
  if not text then return nil, why end
  if #text > MAX_BYTES then return nil, ("%s: longer than %d bytes, which none is"):format(path, MAX_BYTES) end
  return decoder(text, path)
end

-- The object in a file, or nil and a message.
function json.read(path)
  return read(path, json.decode_object)
end

-- The array in a file, or nil and a message.
function json.read_array(path)
  local value, why = read(path, json.decode)
  if value == nil then return nil, why end
  if not json.is_array(value) then return nil, ("%s: found %s; expected a list"):format(path, json.shown(value)) end
  return value
end

return json
