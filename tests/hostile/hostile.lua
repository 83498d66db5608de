-- hostile.lua: specs nobody would write, made from a seed: those of the tests with fields replaced by what no field
-- takes, or by what another one does; their text cut, doubled and flipped; whole files that are no spec. Walks the
-- lists of fields, so that a new one is part of it. Checks nothing; hostile_specs.lua does.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path
local combinations = dofile("tests/combinations/combinations.lua")
local fmt = require "base.fmt"
local fs = require "base.fs"
local spec = require "spec"

local hostile = {}

-- Whole numbers from 1 to n, the same under every Lua: the minimal standard generator.
function hostile.numbers(seed)
  local state = seed % 2147483646 + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

local function pick(random, list)
  return list[random(#list)]
end

-- -- Values -----------------------------------------------------------------------------------------------------------

-- Text as a spec file may have it. `raw` values stand in the text as they are.
local function raw(text) return { raw = text } end

local STRINGS = {
  "", " ", "a b", "\t", "a\0b", "*/", "/*", "//", "a*/ int x; /*", "??/", "??=", "a??/\\", "\\", "a\\", "\\n", "%s",
  "%n%d",
  "%", "$", "$$", "$in", "${x}", "$(touch x)", "`touch x`", "a:b", "a;b", "'", '"', 'a"b', "a'b", '"; int x; "',
  "#line 1",
  "#", "\r", "\r\n", "a\nb", "\n#define x\n", "\226\128\174x", "\195\169", "\195", "\255\254", "\239\187\191",
  "int", "class",
  "main", "_", "__", "a__b", "a_", "_a", "1a", "A", "ga_x", "NULL", "..", "../x", "/etc/passwd", "a/../b", "C:\\x",
  "-rf",
  "--", "nil", "true", "1..2", "2..1", "0..1", "1..65536", "1..65537", "1...2", "1..", "..1", "-1..2", "00001..2",
  "1.5..2",
  "1..99999999999999999999", "inf", "nan", "-inf", "0x10", "d_head", "d_model", "top_left", "f32", "bf16", "layer",
  "%d", "x%d.",
  "x%d.%d", "%d%s", "a.%d.b", "q_weight", "encoder", "bert", "features", "stdio", "x86intrin", ("x"):rep(40),
  ("x"):rep(41),
  ("x"):rep(200), ("x"):rep(201), ("a/"):rep(100), ("9"):rep(400), ("0"):rep(3000) .. "1", ("y"):rep(20000),
}

local NUMBERS = {
  raw "0", raw "-0", raw "-0.0", raw "1", raw "-1", raw "0.5", raw "1e-400", raw "5e-324", raw "1e-310", raw "1e-38",
  raw "1.4e-45", raw "1e38", raw "3.4028234663852886e38", raw "3.5e38", raw "1e308", raw "1e309", raw "-1e400",
  raw "2147483647",
  raw "2147483648", raw "4294967296", raw "9007199254740991", raw "9007199254740992", raw "9007199254740993",
  raw "1099511627776",
  raw "9223372036854775807", raw "9223372036854775808", raw "18446744073709551616", raw "1e15", raw "65536",
  raw "65537",
  raw "262144", raw "1048576", raw "16777216", raw "16777217", raw "1024", raw "512", raw "1e6", raw "1000000",
  raw "0.1", raw "-2.5",
  raw "0.30000000000000004", raw "123456789.125", raw ".5", raw "3.", raw "1e0", raw "1E+2", raw(("1"):rep(400)),
  raw("0." .. ("0"):rep(300) .. "1"),
}

-- What is no value of a spec, or only looks like one.
local ODD = {
  raw "nil", raw "true", raw "false", raw "{}", raw "{{}}", raw "{1}", raw "{ 1, 2, 3 }", raw '{ "" }',
  raw '{ "attention" }',
  raw '{ "attention", "attention" }', raw "{ q = true }", raw "{ q = { q = 1 } }", raw "{ [1] = 2 }",
  raw '{ ["a b"] = 2 }',
  raw "0x10", raw "0x1p4", raw "1LL", raw "1e", raw "- 1", raw "--1", raw "1 + 1", raw "0/0", raw "1/0", raw "2^53",
  raw "math.huge",
  raw "nan", raw "inf", raw "f()", raw "f{}", raw "f''", raw "...", raw "x", raw "x.y", raw "[[x]]",
  raw "[==[x]==]", raw '"a" .. "b"',
  raw "#x", raw "not true", raw "function() end", raw "(function() while true do end end)()", raw "(1)", raw "-'1'",
  raw '"a\\nb"',
  raw '"\\x41"', raw "'\\z  a'", raw '"a\nb"', raw '"a', raw "'", raw(("{"):rep(15) .. ("}"):rep(15)),
  raw(("{"):rep(17) .. ("}"):rep(17)), raw(("{"):rep(20000)), raw("{" .. ("1,"):rep(20000) .. "}"),
  raw("{" .. ('"attention",'):rep(3000) .. "}"), raw "{ kind = 1 }", raw "setmetatable({}, {})",
  raw "string.rep('x', 1e9)",
}

-- Sizes that are taken, small ones oftener, and up to the limits.
local SIZES = { 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 33, 64, 100, 127, 255, 500, 512, 1024, 4096, 65535, 65536 }

-- Words of a field's value as --help has it: "a|b" and so on.
local function words_of(field)
  local values = { }
  for word in (field.value or ""):gmatch("[^|,]+") do
    if word:find("^[%l_]+$") then values[#values + 1] = word == "yes" or (word ~= "no" and word) end
  end
  return values
end

-- Every value that a field has in a spec of the tests or a combination: { [field] = { value, ... } }.
local function seen_values(sources)
  local seen = {}
  local function add(field, value)
    seen[field] = seen[field] or {}
    table.insert(seen[field], value)
  end
  for _, s in ipairs(sources) do
    for _, entry in ipairs(s.given) do add(entry.field, entry.value) end
  end
  return seen
end

local function lua_files(folder)
  local paths = {}
  for _, name in ipairs(assert(fs.list(folder))) do
    if name:find("%.lua$") then paths[#paths + 1] = folder .. "/" .. name end
  end
  return paths
end

-- The specs that others are made from: those of the tests, those that ship, and one of each feature's values.
local function all_sources()
  local list = {}
  for _, folder in ipairs({ "specs", "tests/specs", "tests/pytorch/specs" }) do
    for _, path in ipairs(lua_files(folder)) do list[#list + 1] = assert(spec.read(path)) end
  end
  for a, axis in ipairs(combinations.AXES) do
    for i = 1, #axis do list[#list + 1] = combinations.spec({ [a] = i }, "axis") end
  end
  return list
end

local SOURCES = all_sources()
local SEEN = seen_values(SOURCES)

-- A value that a field may well take.
local function likely(random, field)
  local words, kind = words_of(field), random(4)
  if kind == 1 and #words > 0 then return pick(random, words) end
  if kind <= 3 and SEEN[field.field] then return pick(random, SEEN[field.field]) end
  if (field.value or ""):find("N", 1, true) then return pick(random, SIZES) end
  if field.value == "X" or field.value == "P" then return pick(random, { 0.5, 1e-3, 2, 1e4, 1e-30, 1e30 }) end
  return pick(random, { true, false })
end

-- A value that no field, or another one, takes.
local function unlikely(random)
  local kind = random(6)
  if kind <= 2 then return pick(random, STRINGS) end
  if kind <= 4 then return pick(random, NUMBERS) end
  if kind == 5 then return pick(random, ODD) end
  return likely(random, pick(random, spec.fields()))
end

-- -- Text -------------------------------------------------------------------------------------------------------------

local literal

local function table_text(random, value)
  local keys, parts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = (type(key) == "number" and "" or key .. " = ") .. literal(random, value[key])
  end
  return "{ " .. table.concat(parts, random(9) == 1 and "; " or ", ") .. " }"
end

-- A value as text; a string in either quotes, whatever is in it.
function literal(random, value)
  if type(value) == "table" then return value.raw or table_text(random, value) end
  if type(value) == "number" then return fmt.double(value) end
  if type(value) == "boolean" then return tostring(value) end
  local quote = random(4) == 1 and "'" or '"'
  return quote .. value .. quote
end

-- The text of fields { name, value } in order.
local function text_of(random, fields)
  local lines = {}
  for _, field in ipairs(fields) do
    local group, inner = field[1]:match("^([^.]+)%.(.+)$")
    local said = literal(random, field[2])
    lines[#lines + 1] = "  " .. (group and ("%s = { %s = %s }"):format(group, inner, said) or
      ("%s = %s"):format(field[1], said))
  end
  return "return {\n" .. table.concat(lines, ",\n") .. "\n}\n"
end

-- -- Fields changed ---------------------------------------------------------------------------------------------------

local function copy(value)
  if type(value) ~= "table" then return value end
  local other = {}
  for key, inner in pairs(value) do other[key] = copy(inner) end
  return other
end

-- The fields of a spec as { name, value }, those of one table field together; all its own.
local function fields_of(s)
  local fields, at = {}, {}
  for _, entry in ipairs(s.given) do
    local group, inner = entry.field:match("^([^.]+)%.(.+)$")
    if not group then
      fields[#fields + 1] = { entry.field, copy(entry.value) }
    else
      if not at[group] then
        at[group] = { group, {} }
        fields[#fields + 1] = at[group]
      end
      at[group][2][inner] = copy(entry.value)
    end
  end
  return fields
end

-- Gives a field a value, inside its table where it has one.
local function set(fields, name, value)
  local group, inner = name:match("^([^.]+)%.(.+)$")
  for _, field in ipairs(fields) do
    if group and field[1] == group and type(field[2]) == "table" and not field[2].raw then
      field[2][inner] = value
      return
    elseif field[1] == name then
      field[2] = value
      return
    end
  end
  fields[#fields + 1] = group and { group, { [inner] = value } } or { name, value }
end

local ROLES = { "q_weight", "k_bias", "o_weight", "qkv_weight", "embedding", "layer", "transposed", "positions",
  "q_wieght" }

-- What is done to fields, each one thing.
local CHANGES = {
  function(random, fields) set(fields, pick(random, spec.fields()).field, unlikely(random)) end,
  function(random, fields)
    local field = pick(random, spec.fields())
    set(fields, field.field, likely(random, field))
  end,
  function(random, fields)
    local field = pick(random, fields)
    field[2] = unlikely(random)
  end,
  function(random, fields) table.remove(fields, random(#fields)) end,
  function(random, fields) fields[#fields + 1] = pick(random, fields) end,
  function(random, fields) set(fields, "weights." .. pick(random, ROLES), pick(random, STRINGS)) end,
  function(random, fields)
    set(fields, pick(random, { "name", "weights_prefix", "weights" }), pick(random, STRINGS))
  end,
  function(random, fields) set(fields, pick(random, { "d_modle", "x", "mask.x", "_", ("z"):rep(70) }),
    unlikely(random)) end,
}

-- A spec whose weights are named one by one, so that names get into what is generated.
local function with_names(random, s)
  local fields, names = fields_of(s), {}
  for _, role in ipairs(s.stack and {} or s.roles) do
    names[role.name] = random(3) == 1 and "x" .. pick(random, { ".", "/", "-",
      "_" }):rep(random(150)) .. "y" or role.name
  end
  if next(names) then set(fields, "weights", names) end
  if random(3) == 1 then set(fields, "weights_prefix", pick(random, { "a.", "a/b-", "x.y_0.", ("p"):rep(100) })) end
  return fields
end

local function changed_fields(random, changes)
  local s = pick(random, SOURCES)
  local fields = random(3) == 1 and with_names(random, s) or fields_of(s)
  for _ = 1, changes do
    if #fields > 0 then pick(random, CHANGES)(random, fields) end
  end
  return text_of(random, fields)
end

-- -- Text changed -----------------------------------------------------------------------------------------------------

local TOKENS = { "{", "}", "{{", "}}", ",", ";", "=", "return", "--", "--[[", "]]", "\n", "\r", "\0", "'", '"',
  "\\", "nil", "1e", "..",
  "[1]", "local x", "function", "(", ")", "\239\187\191", "\255", "true", "0x", "-", ".", "goto x", "::x::", "\27Lua" }

local EDITS = {
  function(random, text, at) return text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + 1) end,
  function(random, text, at) return text:sub(1, at - 1) .. text:sub(at + random(20)) end,
  function(random, text, at) return text:sub(1, at) .. text:sub(at - random(math.min(at, 40)) + 1) end,
  function(random, text, at) return text:sub(1, at) .. pick(random, TOKENS) .. text:sub(at + 1) end,
  function(_, text, at) return text:sub(1, at) end,
  function(_, text, at) return text:sub(at) end,
  function(_, text) return (text:gsub("\n", "\r\n")) end,
  function(_, text) return text .. text end,
}

local function changed_text(random)
  local text = changed_fields(random, random(2) - 1)
  for _ = 1, random(4) do
    if #text > 0 and #text < 200000 then text = pick(random, EDITS)(random, text, random(#text)) end
  end
  return text
end

-- -- Whole files ------------------------------------------------------------------------------------------------------

local function bytecode()
  return string.dump(function() while true do end end)
end

-- Each is a file on its own.
function hostile.files()
  local list = {
    "", " ", "\0", "\27Lua", bytecode(), "return " .. bytecode(), "while true do end",
    "return (function() while true do end end)()",
    "for i = 1, 1e18 do end return {}", "return " .. ("{"):rep(60000), "return " .. ("("):rep(60000),
    "--[==[" .. ("x"):rep(60000),
    "--" .. ("\n--"):rep(20000), "return {" .. ("--\n"):rep(20000) .. "}",
    "return { x = '" .. ("a"):rep(65000) .. "' }",
    ("x"):rep(65537), ("x"):rep(1000000), "return { " .. ("\n"):rep(65000) .. "= }", "\239\187\191return {}",
      "#!/bin/lua\nreturn {}",
    "return { d_model = " .. ("1"):rep(65000) .. " }", "return { d_model = 0." .. ("0"):rep(65000) .. "1 }",
    "return setmetatable({}, { __index = function() while true do end end })", "return {}", "{}",
    "return {} return {}", "return",
    'return { kind = "' .. ("k"):rep(65000) .. '", d_model = 8, n_heads = 2 }', "goto x ::x::",
    "return string.rep('x', 1e10)",
    "local t = {} t.t = t return t", "return { [{}] = 1 }", "return require 'os'.execute 'touch x'", "return os.exit()",
  }
  local many = {}
  for i = 1, 5000 do many[i] = ("f%04d = 1"):format(i) end
  for _, field in ipairs({ "", "weights", "mask", "activation", "bias", "rope", "logits" }) do
    list[#list + 1] = ("return { %s{ %s } }"):format(field == "" and "x = " or field .. " = ", table.concat(many, ", "))
  end
  list[#list + 1] = "return { " .. table.concat(many, ", ") .. " }"
  return list
end

-- -- Tables -----------------------------------------------------------------------------------------------------------

-- Fields as a caller within the generator might give them, and no file can.
function hostile.tables()
  local cycle, held = {}, { d_model = 8, n_heads = 2 }
  cycle.weights, cycle.mask, cycle.bias, cycle.outputs, cycle[1], cycle[cycle] = cycle, cycle, cycle, cycle, cycle,
    cycle
  held.weights = setmetatable({}, { __metatable = "locked", __tostring = function() return "q" end })
  local list = { cycle, held, setmetatable({ d_model = 8, n_heads = 2 }, { __metatable = false }) }
  for _, value in ipairs({ 0 / 0, 1 / 0, -1 / 0, -0.0, 2 ^ 53, 1e308, cycle, print, coroutine.create(print), "\0",
    true }) do
    for _, field in ipairs(spec.fields()) do
      local fields = { d_model = 8, n_heads = 2 }
      fields[field.field] = value
      list[#list + 1] = fields
    end
    list[#list + 1] = { d_model = 8, n_heads = 2, [value == value and value or "nan"] = 1 }
  end
  return list
end

-- The text of one more spec, by the numbers that random gives.
function hostile.text(random)
  local kind = random(10)
  if kind <= 3 then return changed_text(random) end
  return changed_fields(random, kind <= 4 and 0 or random(3))
end

return hostile
