-- names.lua: checks that the schedule, the planner and what emits C name no block: neither its name nor a
-- field of a spec that it owns. What a word means in C or in English is not looked at: only names of Lua are.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local blocks = require "ops"
local fs = require "base.fs"

-- Folders that ask no block what it is.
local FOLDERS = { "generator/plan/", "generator/emit/", "templates/linear/", "templates/model/", "templates/schedule/" }

-- Blocks that others build on: what a layer, a sublayer and a linear are is the schedule's own business.
local GROUND = { layers = true, sublayer = true, linear = true }
-- Words that are fields of blocks and have a meaning for every block.
local COMMON = { n_layers = true, layer = true }
-- Parts that a spec is made of are called by these names in every file that takes it apart.
local ALLOWED = {
  ["generator/plan/transformer.lua"] = { attention = true }, -- whose keys a cache holds
  ["generator/plan/init.lua"] = { attention = true, embedding = true }, -- features; the table of a layer that takes ids
  ["generator/plan/dump.lua"] = { d_ff = true }, -- the first line of a model's plan
  ["generator/emit/fragments.lua"] = { attention = true }, -- the folder of features, and that of their fragments
  ["generator/emit/render.lua"] = { attention = true }, -- the folder of templates
  ["generator/plan/files.lua"] = { attention = true }, -- the folder of templates; a part of a model
  ["generator/plan/variant.lua"] = { attention = true }, -- a part of a model, whose keys a cache holds
  ["templates/model/pack.c.lt"] = { embedding = true }, -- the table of a layer that takes ids
  ["generator/emit/init.lua"] = { attention = true }, -- the folder of templates; a part of a model; outputs of a layer
  ["generator/emit/layer.lua"] = { embedding = true }, -- the table of a layer that takes ids
  -- Tensors that have a layout of their own in files of weights.
  ["generator/plan/maps.lua"] = { attention = true, embedding = true, positions = true, token_types = true },
  ["templates/schedule/rows_linear.c.lt"] = { tokens = true, embedding = true }, -- of a layer that takes ids, no block
  -- Outputs of a layer; a transformer's source.
  ["templates/model/model.c.lt"] = { attention = true, src_vocab_size = true },
  ["generator/emit/stack.lua"] = { attention = true, d_ff = true }, -- the list of parts; the summary of a model
}

local failures = 0

local function fail(path, message, ...)
  failures = failures + 1
  print(path .. ": " .. message:format(...))
end

-- Every block's name and fields, or the tables of a spec that these are in.
local function forbidden()
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] and not COMMON[name] and not GROUND[name] then names[#names + 1] = name end
    seen[name] = true
  end
  for _, block in ipairs(blocks) do
    add(block.name)
    for _, field in ipairs(block.fields or {}) do add(field.field:match("^[^.]+")) end
  end
  return names
end

-- The Lua of a template: its lines after `$`, and what stands in ${...}; without comments.
local function lua_of(path, content)
  if path:find("%.lua$") then return (content:gsub("%-%-[^\n]*", "")) end
  local parts = {}
  for line in content:gmatch("[^\n]+") do
    local code = line:match("^%$ (.*)")
    if code then parts[#parts + 1] = code:gsub("%-%-.*", "") end
    for inner in line:gmatch("%$(%b{})") do parts[#parts + 1] = inner end
  end
  return table.concat(parts, "\n")
end

local function all_files()
  local list = {}
  for _, folder in ipairs(FOLDERS) do
    for _, name in ipairs(assert(fs.list(folder))) do list[#list + 1] = folder .. name end
  end
  return list
end

local NAMES = forbidden()
for _, path in ipairs(all_files()) do
  local code, allowed = lua_of(path, assert(fs.read(path))), ALLOWED[path] or {}
  for _, name in ipairs(NAMES) do
    if not allowed[name] and code:find("%f[%w_]" .. name .. "%f[^%w_]") then
      fail(path, "names '%s', which is for generator/ops/ and templates/ops/ to know", name)
    end
  end
end
os.exit(failures == 0)
