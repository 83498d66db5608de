-- models.lua: from options to the models of the build: those the user configured and the demo's.
-- Reads specs and names their files; knows no compiler.
local from_gguf = require "import.from_gguf"
local from_hf = require "import.from_hf"
local fs = require "base.fs"
local spec = require "spec"
local plan_files = require "plan.files"

local models = {}

local DEMO = "specs/demo.lua"

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

-- A message about fields of a spec, for one who gave flags: those of the fields it names that are called otherwise.
local function with_flags(message)
  local names = {}
  for _, field in ipairs(spec.options()) do
    local name = field.field
    local is_named = name:find("[._]") and message:find("%f[%w_.]" .. name:gsub("%.", "%%.") .. "%f[^%w_.]")
    if is_named and field.flag ~= "--" .. name:gsub("[._]", "-") then
      names[#names + 1] = ("%s: %s"):format(name, field.flag)
    end
  end
  if #names == 0 then return message end
  return ("%s (%s)"):format(message, table.concat(names, ", "))
end

-- The model the flags describe; or nil and the messages.
local function from_flags(given)
  local model, errors = spec.from_fields(with_defaults(given))
  if not model then
    for i, message in ipairs(errors) do errors[i] = with_flags(message) end
    return nil, errors
  end
  return written(model, spec.text(model))
end

local function append_all(list, more)
  for _, item in ipairs(more) do list[#list + 1] = item end
end

-- The models in these files, in order; the messages of all files are appended to errors.
function models.from_files(paths, errors)
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
  for _, part in ipairs(plan_files.parts(model.spec)) do names[#names + 1] = part.name end
  return names
end

-- Appends a message for every name that two files give, be it that of a part.
function models.check_names(list, errors)
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

-- Appends a message for each name to be ignored that no file has: it is misspelt, or hides nothing any more.
local function refuse_unused(settings, ignored, errors)
  for _, name in ipairs(settings.hf_ignore) do
    if ignored[name] ~= "used" then
      errors[#errors + 1] = ("--hf-ignore %s: no model has a field, a key or a tensor of that name; leave it " ..
        "out"):format(name)
    end
  end
end

-- The models of folders of Hugging Face's and of GGUF files, in order, each with its mapping table; messages are
-- appended to errors.
local function imported(settings, errors)
  local list, given, ignored = {}, {}, {}
  for _, entry in ipairs(settings.fields) do given[entry.field.field] = entry.value end
  for _, name in ipairs(settings.hf_ignore) do ignored[name] = true end
  local options = { ignored = ignored, architecture = settings.hf_architecture }
  for _, source in ipairs({ { settings.folders, from_hf, "folder" },
    { settings.gguf_files, from_gguf, "file" } }) do
    for _, path in ipairs(source[1]) do
      local read, why = source[2](path, given, options)
      local model = read
      if read then model, why = written(read.spec, read.text) end
      if model then
        model.table, model.from = read.lines, source[3]
        list[#list + 1] = model
      else
        append_all(errors, why)
      end
    end
  end
  if #errors == 0 then refuse_unused(settings, ignored, errors) end
  return list
end

local function configured(settings, errors)
  if #settings.specs + #settings.folders + #settings.gguf_files > 0 then
    local list = models.from_files(settings.specs, errors)
    append_all(list, imported(settings, errors))
    return list
  end
  local model, why = from_flags(settings.fields)
  if model then return { model } end
  append_all(errors, why)
  return {}
end

-- Whether one of the models is the demo's, under whatever path.
local function has_demo(list)
  local demo = fs.read(DEMO)
  for _, model in ipairs(list) do
    if fs.read(model.path) == demo then return true end
  end
  return false
end

-- All models of the build, each { spec, path } (of a folder or file also `table`, lines on how its spec came
-- about, and `from`, which of the two):
-- `configured` by the user, and `products`, those and the demo's after them; or nil and every message.
function models.collect(settings)
  local errors = {}
  local users = configured(settings, errors)
  if #errors > 0 then return nil, errors end
  local demo = models.from_files({ DEMO }, errors)
  local products = {}
  append_all(products, users)
  if not has_demo(users) then append_all(products, demo) end
  models.check_names(products, errors)
  if #errors > 0 then return nil, errors end
  return { configured = users, products = products }
end

-- Appends what a model's variants are to be compiled with that the compiler does not take.
local function check_flags(model, isas, takes, errors)
  for _, row in ipairs(plan_files.flags(model.spec, isas)) do
    if not takes(row.flag) then
      errors[#errors + 1] = ("%s: %s needs %s, which the compiler does not take; give --isa without %s"):format(
        model.spec.name, row.variant, row.flag, row.isa)
    end
  end
end

-- Every message about configured models of which the compiler cannot make all for these instruction sets. takes(flag):
-- whether it takes a flag.
function models.refused(collected, isas, takes)
  local errors = {}
  for _, model in ipairs(collected.configured) do
    check_flags(model, isas, takes, errors)
  end
  return errors
end

return models
