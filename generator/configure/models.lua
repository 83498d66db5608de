-- models.lua: from options to the models of the build: those the user configured, the demo's and the tests'.
-- Reads specs and names their files; knows no compiler.
local from_hf = require "configure.from_hf"
local fs = require "base.fs"
local spec = require "spec"
local stack = require "emit.stack"

local models = {}

local DEMO = "specs/demo.lua"
local TEST_SPECS = "tests/specs"
local VERSIONS = { "tests/versions/first/twin.lua", "tests/versions/second/twin.lua" }

local function with_defaults(given)
  local raw = {}
  for _, entry in ipairs(given) do raw[entry.field.field] = entry.value end
  for _, field in ipairs(spec.options()) do
    local is_missing = raw[field.field] == nil and field.required and field.required(raw)
    if is_missing then raw[field.field] = field.parse(field.default) end
  end
  return raw
end

-- Writes a spec to out/specs/; the model, or nil and the messages.
local function written(model, content)
  local path = "out/specs/" .. model.name .. ".lua"
  local changed, why = fs.write_if_changed(path, content)
  if changed == nil then return nil, { why } end
  return { spec = model, path = path }
end

-- The model the flags describe; or nil and the messages.
local function from_flags(given)
  local model, errors = spec.from_fields(with_defaults(given))
  if not model then return nil, errors end
  return written(model, spec.text(model))
end

local function append_all(list, more)
  for _, item in ipairs(more) do list[#list + 1] = item end
end

-- The models in these files, in order; the messages of all files are appended to errors.
local function from_files(paths, errors)
  local list = {}
  for _, path in ipairs(paths) do
    local model, why = spec.read(path)
    if model then list[#list + 1] = { spec = model, path = path } else append_all(errors, why) end
  end
  return list
end

-- The names that begin the symbols of a model: its own, and those of its parts.
local function names_of(model)
  local names = { model.spec.name }
  for _, part in ipairs(stack.parts(model.spec)) do names[#names + 1] = part.name end
  return names
end

-- Appends a message for every name that two files give, be it that of a part.
local function check_names(list, errors)
  local owner = {}
  for _, model in ipairs(list) do
    for _, name in ipairs(names_of(model)) do
      if owner[name] and owner[name] ~= model then
        local is_own = name == model.spec.name and name == owner[name].spec.name
        errors[#errors + 1] = ("%s and %s are both named %s%s; give one another name"):format(owner[name].path,
          model.path, name, is_own and "" or ", or have a part of that name")
      end
      owner[name] = model
    end
  end
end

local function lua_files(folder)
  local paths = {}
  for _, name in ipairs(assert(fs.list(folder))) do
    if name:find("%.lua$") then paths[#paths + 1] = folder .. "/" .. name end
  end
  return paths
end

-- The models of folders of Hugging Face's, in order, each with its mapping table; messages are appended to errors.
local function from_folders(settings, errors)
  local list, given, ignored = {}, {}, {}
  for _, entry in ipairs(settings.fields) do given[entry.field.field] = entry.value end
  for _, name in ipairs(settings.hf_ignore) do ignored[name] = true end
  for _, folder in ipairs(settings.folders) do
    local read, why = from_hf(folder, given, { ignored = ignored, architecture = settings.hf_architecture })
    local model = read
    if read then model, why = written(read.spec, read.text) end
    if model then
      model.table = read.lines
      list[#list + 1] = model
    else
      append_all(errors, why)
    end
  end
  return list
end

local function configured(settings, errors)
  if #settings.specs + #settings.folders > 0 then
    local list = from_files(settings.specs, errors)
    append_all(list, from_folders(settings, errors))
    return list
  end
  local model, why = from_flags(settings.fields)
  if model then return { model } end
  append_all(errors, why)
  return {}
end

local function contains(list, path)
  for _, model in ipairs(list) do
    if model.path == path then return true end
  end
  return false
end

-- All models of the build, each { spec, path } (of a folder also `table`, lines on how its spec came about):
-- `configured` by the user, `products` (those and the demo's), `tests`, `versions` (two of one name); or nil and every
-- message.
function models.collect(settings)
  local errors = {}
  local users = configured(settings, errors)
  if #errors > 0 then return nil, errors end
  local demo = from_files({ DEMO }, errors)
  local tests = from_files(lua_files(TEST_SPECS), errors)
  local versions = from_files(VERSIONS, errors)
  local products = {}
  append_all(products, users)
  if not contains(users, DEMO) then append_all(products, demo) end
  check_names(products, errors)
  check_names(tests, errors)
  if #errors > 0 then return nil, errors end
  return { configured = users, products = products, tests = tests, versions = versions }
end

return models
