-- names.lua: which tensor names and which model folders genattn reads, as Markdown tables, from generator/import/maps
-- and generator/hf. Knows no layout and no model type by name.
local fs = require "base.fs"
local maps = require "import.maps"
local text = require "base.text"

local names = {}

-- A table in Markdown: rows of cells, the first of them the heads.
local function table_of(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[#lines + 1] = "| " .. table.concat(row, " | ") .. " |"
    if i == 1 then lines[2] = "|" .. ("---|"):rep(#row) end
  end
  return table.concat(lines, "\n")
end

local function code(word)
  return word and "`" .. word .. "`" or "—"
end

-- The names of the query's weight and of the output projection's; q, k and v may be one tensor.
local function query_of(map)
  return code(map.q_weight or map.qkv_weight) .. (map.by_head and " (q, k, v in one, head by head)" or
    map.qkv_weight and " (q, k, v in one)" or "")
end

-- The layouts of one attention layer.
function names.of_layers()
  local rows = { { "Layout", "Weight of q", "Weight of the output", "Linears are" } }
  for _, name in ipairs(maps.names(false)) do
    local map = maps.get(name, false)
    rows[#rows + 1] = { code(name), query_of(map), code(map.o_weight), map.transposed and "[in, out]" or "[out, in]" }
  end
  return table_of(rows)
end

-- The layouts of whole models; of one with two sides the encoder's names stand for both.
function names.of_stacks()
  local rows = { { "Layout", "Prefix of the names of layer 3", "Weight of q there", "Linears are" } }
  for _, name in ipairs(maps.names(true)) do
    local map = maps.get(name, true)
    local side = map.encoder or map
    rows[#rows + 1] = { code(name), code(map.roles and "layers.3." or side.layer:format(3)),
      map.roles and "`q_weight`" or query_of(side), map.transposed and "[in, out]" or "[out, in]" }
  end
  return table_of(rows)
end

-- The specs that ship, each with the first sentence of the comment it begins with.
function names.of_specs()
  local rows = { { "Spec", "What it is" } }
  for _, file in ipairs(assert(fs.list("specs"))) do
    local comment = assert(fs.read("specs/" .. file)):match("^%-%- (.-)\n[^-]") -- nil: README.md
    if comment then
      comment = comment:gsub("\n%-%- ", " ")
      rows[#rows + 1] = { code("specs/" .. file), comment:match("^(.-%.)%s") or comment }
    end
  end
  return table_of(rows)
end

-- The classes of a model type that config.json may name: those that are made whole, and those whose stack alone is.
local function classes_of(model_type)
  local whole, stack = {}, {}
  for _, class in ipairs(text.sorted_keys(model_type.architectures or {})) do
    local list = model_type.architectures[class].without and stack or whole
    list[#list + 1] = code(class)
  end
  return table.concat(whole, ", "), table.concat(stack, ", ")
end

-- The model types whose folders are read, with their classes.
function names.of_folders()
  local rows = { { "`model_type`", "`architectures`", "Without one of their heads" } }
  for _, file in ipairs(assert(fs.list("generator/import/hf"))) do
    local name = file:match("^(.*)%.lua$")
    local model_type = require("import.hf." .. name)
    local whole, stack = classes_of(model_type)
    rows[#rows + 1] = whole ~= "" and { code(name), whole, stack } or nil
  end
  return table_of(rows)
end

return names
