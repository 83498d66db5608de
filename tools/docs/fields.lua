-- fields.lua: the fields of a spec as Markdown, from the tables that declare them. Knows no field by name.
local blocks = require "ops"
local spec = require "spec"
local types = require "schema.types"

local fields = {}

-- Words of a command line as a spec has them.
local IN_A_SPEC = { yes = "`true`", no = "`false`", all = "`true`", off = "`false`" }

-- The fields of whole models alone.
local function of_stacks()
  local set = {}
  for _, block in ipairs(blocks) do
    for _, field in ipairs(block.fields or {}) do set[field.field] = true end
  end
  return set
end

-- Text of --help with the fields' names in place of the options'.
local function without_flags(words)
  words = words:gsub("^(%l+)%f[ ;]", IN_A_SPEC)
  for _, field in ipairs(spec.options()) do
    local flag = field.flag:gsub("%-", "%%-") .. "%f[^%w-]"
    words = words:gsub(flag, function() return "`" .. field.field .. "`" end)
  end
  return words
end

local function capital(words)
  return (words:gsub("^%l", string.upper))
end

local function is_field(name)
  for _, field in ipairs(spec.fields()) do
    if field.field == name then return true end
  end
end

-- A default as a spec would have it, where it is a value or a field's; else the words of --help.
local function default_of(field)
  local default = field.default
  if types.words(field.check):find('"' .. default .. '"', 1, true) then return '`"' .. default .. '"`' end
  if default:find("^[%d.]+$") or is_field(default) then return "`" .. default .. "`" end
  return IN_A_SPEC[default] or default:find("<") and "`" .. default .. "`" or without_flags(default)
end

-- One field: a heading, its type and default, what it means, an example.
local function entry(field, is_of_stacks)
  local option = field.flag and (" Option: `%s %s`."):format(field.flag, field.value) or ""
  return table.concat({
    ("### `%s`"):format(field.field),
    ("%s. Default: %s.%s%s"):format(capital(assert(types.words(field.check), field.field .. " has no type in words")),
      default_of(field), option, is_of_stacks and " Whole models only." or ""),
    capital(field.meaning or without_flags(field.help)) .. ".",
    ("Example: `%s`"):format(field.example),
  }, "\n\n")
end

-- The names of all groups that fields say they are of, in order.
function fields.groups()
  local groups, seen = {}, {}
  for _, field in ipairs(spec.fields()) do
    local group = field.group or error(field.field .. " has no group")
    groups[#groups + 1] = not seen[group] and group or nil
    seen[group] = true
  end
  return groups
end

-- The fields of a group.
function fields.of_group(group)
  local entries, stacks = {}, of_stacks()
  for _, field in ipairs(spec.fields()) do
    entries[#entries + 1] = field.group == group and entry(field, stacks[field.field]) or nil
  end
  assert(#entries > 0, "no field is of the group " .. group)
  return table.concat(entries, "\n\n")
end

return fields
