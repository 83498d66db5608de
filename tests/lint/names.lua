-- names.lua: checks that the schedule of whole models, the planner's general parts and what emits a stack name no
-- operation, and of those that are about any weights and files that they name no feature of attention either: neither
-- its name nor a field of a spec that it owns nor a weight. What a word means in C or in English is not looked at: only
-- names of Lua are.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local blocks = require "ops"
local features = require "attention"
local fs = require "base.fs"

-- Folders whose files ask no block what it is.
local FOLDERS = { "generator/plan/", "generator/emit/", "templates/linear/", "templates/model/", "templates/schedule/",
  "templates/table/" }

-- Of Lua files, those that ask no feature of attention what it is either.
local GENERAL = {
  "generator/plan/exp2.lua", "generator/plan/files.lua", "generator/plan/gelu.lua", "generator/plan/maps.lua",
  "generator/plan/one_row.lua", "generator/plan/packed.lua", "generator/plan/powers.lua", "generator/plan/stack.lua",
  "generator/plan/threads.lua", "generator/plan/tiles.lua", "generator/plan/transformer.lua",
  "generator/emit/stack.lua", "generator/plan/init.lua", "generator/plan/variant.lua", "generator/spec/stack.lua",
}

-- Blocks that others build on: what a layer, a sublayer and a linear are is the schedule's own business.
local GROUND = { layers = true, sublayer = true, linear = true }
-- Words that are fields and have a meaning for every block, or names of what every block has: its outputs, its weights.
local COMMON = { n_layers = true, layer = true, outputs = true, weights = true }
local function words(text)
  local set = {}
  for word in text:gmatch("%S+") do set[word] = true end
  return set
end

-- Parts that a spec is made of are called by these names in every file that takes it apart. No name is to be added here
-- that an owner can declare.
local ALLOWED = {
  ["generator/plan/files.lua"] = { attention = true }, -- the folder of templates; a part of a model
  ["generator/plan/dump.lua"] = { d_ff = true, mask = true }, -- the first line of a model's plan; a word
  ["generator/emit/fragments.lua"] = { attention = true }, -- the folder of features, and that of their fragments
  ["generator/emit/init.lua"] = { attention = true }, -- an output of a layer
  ["generator/emit/render.lua"] = { attention = true }, -- the folder of templates
  -- The shape of a layer, what makes its rows of scores short or its keys few, and weights in their packed order.
  ["generator/plan/init.lua"] = words([[attention n_kv_heads heads d_v k_dim v_dim d_out weights_dtype scale causal
    window lengths extra_keys nonfinite_safe cache cache_dtype embedding vocab_size]]),
  ["generator/plan/variant.lua"] = { attention = true, cache = true },
  -- What the attention over an encoder's output takes of a decoder, and each side of a transformer.
  ["generator/spec/stack.lua"] = words([[attention n_decoder_layers src_vocab_size n_kv_heads projections d_v
    weights_dtype bias scale causal mask window lengths mask_tensor mask_fill cache cache_dtype vocab_size
    weights_prefix]]),
  -- Facts of a spec that say how its weights lie.
  ["generator/plan/maps.lua"] = { attention = true, n_kv_heads = true, weights_prefix = true },
  ["generator/plan/transformer.lua"] = { attention = true }, -- whose keys a cache holds
  -- The table of a layer that takes ids.
  ["templates/schedule/rows_linear.c.lt"] = { tokens = true, embedding = true },
  -- Outputs of a layer; a transformer's source.
  ["templates/model/model.c.lt"] = { attention = true, src_vocab_size = true },
  ["generator/emit/stack.lua"] = { attention = true, d_ff = true }, -- the list of parts; the summary of a model
}

local failures = 0

local function fail(path, message, ...)
  failures = failures + 1
  print(path .. ": " .. message:format(...))
end

-- Every owner's name, fields or the tables of a spec that these are in, and weights.
local function forbidden(owners)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] and not COMMON[name] and not GROUND[name] then names[#names + 1] = name end
    seen[name] = true
  end
  for _, owner in ipairs(owners) do
    add(owner.name)
    for _, field in ipairs(owner.fields or {}) do add(field.field:match("^[^.]+")) end
    for _, role in ipairs(owner.weights or {}) do add(role) end
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

local function check(paths, names, where)
  for _, path in ipairs(paths) do
    local code, allowed = lua_of(path, assert(fs.read(path))), ALLOWED[path] or {}
    for _, name in ipairs(names) do
      if not allowed[name] and code:find("%f[%w_]" .. name .. "%f[^%w_]") then
        fail(path, "names '%s', which is for %s to know", name, where)
      end
    end
  end
end

local function all_files()
  local list = {}
  for _, folder in ipairs(FOLDERS) do
    for _, name in ipairs(assert(fs.list(folder))) do list[#list + 1] = folder .. name end
  end
  return list
end

check(all_files(), forbidden(blocks), "generator/ops/ and templates/ops/")
check({ "generator/spec/stack.lua" }, forbidden(blocks), "generator/ops/")
check(GENERAL, forbidden(features), "generator/attention/")
os.exit(failures == 0)
