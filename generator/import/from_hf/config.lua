-- from_hf/config.lua: a config.json, or what a GGUF file says in its place, and the data file of its model type
-- (generator/import/hf, generator/import/gguf) -> the fields of a spec, with a row of the mapping table for each. What
-- neither maps, nor is known to change nothing, is refused by name.
local common = require "import.hf.common"
local conversions = require "import.from_hf.conversions"
local json = require "import.from_hf.json"
local spec = require "spec"
local text = require "base.text"

local MOST_SAID = 20 -- messages

local Reader = {}
Reader.__index = Reader

local function joined(...)
  local all = {}
  for i = 1, select("#", ...) do
    for _, item in ipairs((select(i, ...)) or {}) do all[#all + 1] = item end
  end
  return all
end

local CHECKS = {}
for _, field in ipairs(spec.fields()) do CHECKS[field.field] = field.check end

-- { [config field] = why it changes results, or why it does not }
local function reasons_of(rows)
  local reasons = {}
  for _, row in ipairs(rows) do
    for name in row[2]:gmatch("%S+") do reasons[name] = row[1] end
  end
  return reasons
end

-- What holds of all types, but for fields that a type ignores.
local function common_requires(of_all, data)
  local rows, ignored = {}, reasons_of(data.ignores or {})
  for _, row in ipairs(of_all.requires or {}) do
    if not ignored[row[1]] then rows[#rows + 1] = row end
  end
  return rows
end

-- -- Values ---------------------------------------------------------------------------------------------------------

-- The value under a dotted name as the file has it, null included; nil where there is none.
function Reader:raw(name)
  local value = self.config
  for part in name:gmatch("[^.]+") do
    if not json.is_object(value) then return nil end
    value = value[part]
  end
  return value
end

-- A row's value: the file's, what null stands for, or the default; whether the file says it; and under which of the
-- row's names, the first one and those of `also`.
function Reader:value(row)
  local value, said = self:raw(row[1]), row[1]
  for name in (row.also or ""):gmatch("%S+") do
    if value == nil or (value == json.null and row.null == nil) then value, said = self:raw(name), name end
  end
  if value == json.null and row.null ~= nil then return row.null, true, said end
  if value == nil or value == json.null then return row.default, false, row[1] end
  return value, true, said
end

function Reader:get(name)
  for _, row in ipairs(self.rows) do
    if row[1] == name then return (self:value(row)) end
  end
end

function Reader:fail(message, ...)
  self.errors[#self.errors + 1] = self.path .. ": " .. message:format(...)
end

-- -- Rows that map --------------------------------------------------------------------------------------------------

function Reader:report(row)
  self.report_rows[#self.report_rows + 1] = row
end

-- The spec's value of a row, or nothing where it is left out; what is wrong with it fails.
function Reader:convert(row, value, name)
  local made, expected = value, nil
  if row.by then made, expected = conversions[row.by](value, self.context, row) end
  if expected then
    self:fail("%s is %s; expected %s", name, json.shown(value), expected)
  elseif made ~= nil then
    local ok, why = CHECKS[row[2]](made)
    if ok ~= nil then return made end
    self:fail("%s is %s: %s %s", name, json.shown(value), row[2], why)
  end
end

-- One row: a config field into a field of the spec, unless a flag gave that. A quiet row is no row of the table if the
-- file does not say it.
function Reader:map(row)
  local value, is_said, name = self:value(row)
  if row.quiet and not is_said and self.context.given[row[2]] == nil then return end
  local shown = { config = name, field = row[2], note = row.use }
  if is_said then shown.value = value end
  if not row[2] then
    return self:report(shown)
  elseif self.context.given[row[2]] ~= nil then
    shown.made, shown.note = self.context.given[row[2]], "as asked for"
    self.made[row[2]] = shown.made
  elseif value == nil and not row.optional then
    return self:fail("%s is missing, which is %s of a spec", row[1], row[2])
  elseif value ~= nil then
    shown.made = self:convert(row, value, name)
    shown.note = not is_said and self.common.default_of .. " default" or nil
    self.made[row[2]] = shown.made
  end
  if shown.made == nil and row.quiet then return end
  if shown.made == nil then shown.note = row[2] .. " is left to the spec" end
  self:report(shown)
end

-- A field of the spec that every model of the type has.
function Reader:fix(row)
  local shown = { field = row[1], made = self.context.given[row[1]], note = "as asked for" }
  if shown.made == nil then
    shown.made, shown.note = row[2], nil
    self.made[row[1]] = row[2]
  end
  self:report(shown)
end

-- -- Rows that do not -----------------------------------------------------------------------------------------------

local function is_nothing(value)
  return value == nil or value == json.null or value == false or (type(value) == "table" and next(value) == nil)
end

-- Whether a value is what a row requires.
local function is_as_required(row, value)
  if value == nil or value == json.null then return true end
  if row[2] == nil then return is_nothing(value) end
  if not row.each then return value == row[2] end
  for _, item in ipairs(json.is_array(value) and value or { false }) do
    if item ~= row[2] then return false end
  end
  return true
end

-- Whether a field, or an object that it is in, is not to be looked at.
function Reader:is_ignored(name)
  if next(self.ignored) == nil then return false end
  for stop in (name .. "."):gmatch("()%.") do
    local part = name:sub(1, stop - 1)
    if self.ignored[part] then
      self.ignored[part] = "used"
      return true
    end
  end
  return false
end

function Reader:require(row)
  local value = self:raw(row[1])
  if is_as_required(row, value) then
    if value ~= nil then self:report({ config = row[1], value = value, note = "as it must be: " .. row[3] }) end
  elseif not self:is_ignored(row[1]) then
    local shown = row.each and json.is_array(value) and "not everywhere " .. json.shown(row[2]) or
      "is " .. json.shown(value)
    self:fail("%s %s; expected %s: %s", row[1], shown, row[2] == nil and "none" or json.shown(row[2]), row[3])
  end
end

-- Why a field that no row takes changes results, or nil: one of the list of such fields, or one of an object that a row
-- requires to say nothing else.
function Reader:change(name)
  if self.changes[name] then return self.changes[name] end
  local object = name:match("^(.*)%.[^.]*$")
  for _, row in ipairs(object and self.requires or {}) do
    if row.alone and row[1]:match("^(.*)%.[^.]*$") == object then return row[3] end
  end
end

function Reader:refuse_unknown(name, value)
  local why = self:change(name)
  if #self.errors >= MOST_SAID and not why then
    self.errors[#self.errors + 1] = "" -- counted and not said: a file may have a hundred thousand
  elseif why then
    if not is_nothing(value) then self:fail("%s is %s; expected none: %s", json.plain(name), json.shown(value), why) end
  else
    self:fail("what %s (%s) changes in a %s is not known; where it changes no result, --hf-ignore %s goes on " ..
      "without it", json.plain(name), json.shown(value), self.model_type, json.plain(name))
  end
end

-- The names that rows and lists of ignored fields know: { [name] = why it is ignored, or true }.
function Reader:known_names()
  local known = {}
  for name, why in pairs(reasons_of(joined(self.common.ignores, self.data.ignores))) do known[name] = why end
  for _, row in ipairs(joined(self.rows, self.requires)) do
    known[row[1]] = true
    for name in (row.also or ""):gmatch("%S+") do known[name] = true end
  end
  return known
end

-- Looks at every field of an object, and at those of objects in it that no row takes whole.
function Reader:look_for_unknown(object, prefix, known, groups)
  for _, key in ipairs(text.sorted_keys(object)) do
    local name, value = prefix .. key, object[key]
    local why = self:is_ignored(name) and "as asked for" or known[name]
    if type(why) == "string" then
      groups[why] = groups[why] or {}
      groups[why][#groups[why] + 1] = name
    elseif not why and json.is_object(value) and #prefix < 100 then
      self:look_for_unknown(value, name .. ".", known, groups)
    elseif not why and value ~= json.null then
      self:refuse_unknown(name, value)
    end
  end
end

-- -- A whole file ---------------------------------------------------------------------------------------------------

-- The entry of the data file for the architecture asked for, or the file's own.
function Reader:architecture(asked)
  local listed = self.config.architectures
  local name = asked or (json.is_array(listed) and listed[1]) or self.data.base
  local known = text.sorted_keys(self.data.architectures)
  local entry = type(name) == "string" and self.data.architectures[name]
  if not entry then
    self:fail("architecture %s is not one that is made: %s; --hf-architecture %s leaves out everything after the " ..
      "stack", json.shown(name), text.join(known), self.data.base)
    return {}
  end
  self.architecture_name = name
  return entry
end

-- config: the decoded file at `path`; data: its type's data file, `common` in it what holds of all types where those
-- are not transformers'; given: spec fields that flags give, by name; ignored:
-- set of config fields not to look at; asked: the architecture in place of the file's, or nil. Returns { made (spec
-- fields by name), rows (of the table), groups (why -> ignored fields), architecture, notes }, or nil and all messages.
return function(path, config, data, given, ignored, asked)
  local of_all = data.common or common
  local self = setmetatable({ path = path, config = config, data = data, common = of_all, ignored = ignored,
    changes = reasons_of(of_all.changes), errors = {}, made = {}, report_rows = {},
    model_type = data.common and data.base or config.model_type }, Reader)
  local architecture = self:architecture(asked)
  self.rows = joined(data.fields, architecture.fields)
  self.requires = joined(data.requires, common_requires(of_all, data))
  self.context = { made = self.made, given = given, get = function(name) return self:get(name) end }
  for _, row in ipairs(self.rows) do self:map(row) end
  for _, row in ipairs(joined(data.fixed, architecture.fixed)) do self:fix(row) end
  for _, row in ipairs(self.requires) do self:require(row) end
  local groups = {}
  self:look_for_unknown(config, "", self:known_names(), groups)
  if #self.errors > 0 then return nil, text.first(self.errors, MOST_SAID) end
  local notes = joined({ data.note }, { architecture.note },
    { architecture.without and "without " .. architecture.without })
  return { made = self.made, rows = self.report_rows, groups = groups, architecture = self.architecture_name,
    notes = notes }
end
