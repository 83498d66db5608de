-- names.lua: checks that the schedule of whole models, its plan and what emits it name no block: neither its name nor a
-- field of a spec that it owns. What a word means in C or in English is not looked at: only names of Lua are.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local blocks = require "ops"
local fs = require "base.fs"

-- Lua files and templates that ask no block what it is.
local FILES = {
  "generator/plan/stack.lua", "generator/plan/transformer.lua", "generator/emit/stack.lua",
  "templates/schedule/stack.c.lt", "templates/schedule/stack.h.lt", "templates/schedule/stack_in_out.c.lt",
  "templates/schedule/stack_layer.c.lt",
  "templates/schedule/stack_pack.c.lt", "templates/schedule/stack_pack_layer.c.lt",
  "templates/schedule/stack_rows.c.lt", "templates/model/model.c.lt",
}

-- Blocks that others build on: what a layer and a sublayer are is the schedule's own business.
local GROUND = { layers = true, sublayer = true }
-- Words that are fields of blocks and have a meaning for every block.
local COMMON = { n_layers = true, layer = true }
-- Parts that a spec is made of are called by these names in every file that takes it apart.
local ALLOWED = {
  ["generator/plan/transformer.lua"] = { attention = true }, -- whose keys a cache holds
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

local NAMES = forbidden()
for _, path in ipairs(FILES) do
  local code, allowed = lua_of(path, assert(fs.read(path))), ALLOWED[path] or {}
  for _, name in ipairs(NAMES) do
    if not allowed[name] and code:find("%f[%w_]" .. name .. "%f[^%w_]") then
      fail(path, "names '%s', which is for generator/ops/ and templates/ops/ to know", name)
    end
  end
end
os.exit(failures == 0)
