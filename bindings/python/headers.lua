-- headers.lua: the public headers read as data: enumerations, structs and functions, in the order of the text.
-- Reads the C that these headers are written in, with their lists of X(...); is no compiler, and refuses what it does
-- not know.
local fs = require "base.fs"

local headers = {}

-- -- Text -----------------------------------------------------------------------------------------------------------

local function without_comments(text)
  return (text:gsub("//[^\n]*", ""):gsub("/%*.-%*/", " "))
end

-- The words between parentheses, split at commas outside of quotes and of parentheses.
local function arguments(inside)
  local words, word, depth, quoted = {}, "", 0, false
  for character in inside:gmatch(".") do
    if character == '"' then quoted = not quoted end
    if not quoted and character == "(" then depth = depth + 1 end
    if not quoted and character == ")" then depth = depth - 1 end
    if character == "," and depth == 0 and not quoted then
      words[#words + 1], word = word, ""
    else
      word = word .. character
    end
  end
  words[#words + 1] = word
  for i, one in ipairs(words) do words[i] = one:match("^%s*(.-)%s*$") end
  return words
end

-- Removes the lines of the preprocessor; those that define macros with parameters go to `macros`.
local function without_directives(text, macros)
  text = text:gsub("\\\n", " ")
  local kept = {}
  for line in text:gmatch("[^\n]*") do
    local name, parameters, body = line:match("^#define ([%w_]+)%(([^)]*)%)%s*(.*)$")
    if name then macros[name] = { parameters = arguments(parameters), body = body } end
    if not line:find("^#") then kept[#kept + 1] = line end
  end
  return table.concat(kept, "\n")
end

local function substituted(macro, values)
  local text = macro.body
  for i, parameter in ipairs(macro.parameters) do
    if parameter ~= "..." then
      text = text:gsub("%f[%w_]" .. parameter .. "%f[^%w_]", function() return values[i] end)
    end
  end
  return (text:gsub("%s*##%s*", ""))
end

-- Replaces NAME_LIST(MACRO) by what MACRO makes of each X(...) of the list.
local function with_lists(text, macros)
  return (text:gsub("([%w_]+_LIST)%(([%w_]+)%)", function(list, with)
    local lines = {}
    for inside in macros[list].body:gmatch("X(%b())") do
      lines[#lines + 1] = substituted(assert(macros[with]), arguments(inside:sub(2, -2)))
    end
    return table.concat(lines, " ")
  end))
end

-- -- Declarations ---------------------------------------------------------------------------------------------------

-- "const float *const *hidden[4]" -> { type = "float", stars = 2, name = "hidden", dims = { "4" }, struct, enum }
local function declared(base, text)
  local stars = select(2, text:gsub("%*", ""))
  local name = text:gsub("%b[]", ""):gsub("%f[%w_]const%f[^%w_]", ""):match("([%a_][%w_]*)%s*$")
  local dims = {}
  for dim in text:gmatch("%[([^%]]*)%]") do dims[#dims + 1] = dim end
  local words = base:gsub("%f[%w_]const%f[^%w_]", ""):match("^%s*(.-)%s*$")
  local kind, tag = words:match("^(%l+) ([%w_]+)$")
  if kind ~= "struct" and kind ~= "enum" then kind, tag = nil, nil end
  return { type = tag or words, stars = stars, name = name, dims = dims, struct = kind == "struct",
    enum = kind == "enum" }
end

-- The words of a type before the first star or the name.
local function split_base(text)
  text = text:match("^%s*(.-)%s*$")
  local base = text:match("^(.-)%s*%*") or text:match("^(.*)%s+[%a_][%w_]*%s*[%[%]%w_]*$")
  return base, text:sub(#base + 1)
end

local function fields_of(body)
  local fields = {}
  for statement in body:gmatch("([^;]+);") do
    local pointer = statement:match("%(%*([%a_][%w_]*)%)%s*%b()")
    if pointer then
      fields[#fields + 1] = { type = "function", stars = 1, name = pointer, dims = {} }
    elseif statement:find("%S") then
      local base, rest = split_base(arguments(statement)[1])
      local list = arguments(statement)
      list[1] = rest
      for _, one in ipairs(list) do fields[#fields + 1] = declared(base, one) end
    end
  end
  return fields
end

local function values_of(body)
  local values, before = {}, nil
  for _, word in ipairs(arguments(body)) do
    local name, value = word:match("^([%a_][%w_]*)%s*=%s*(.+)$")
    name = name or word:match("^([%a_][%w_]*)$")
    if name then
      value = value or (before and before .. " + 1" or "0")
      values[#values + 1], before = { name = name, value = value }, name
    end
  end
  return values
end

local function function_of(statement)
  local result, name, inside = statement:match("^%s*(.-)([%a_][%w_]*)%s*(%b())%s*$")
  if not name then return nil end
  local made = { kind = "function", name = name, result = declared(result:gsub("%*", ""), result .. " x"), params = {} }
  made.result.stars = select(2, result:gsub("%*", ""))
  for i, parameter in ipairs(arguments(inside:sub(2, -2))) do
    if parameter == "..." then return nil end
    if parameter ~= "void" then made.params[i] = fields_of(parameter .. ";")[1] end
  end
  return made
end

-- One statement at the top of a file, without its semicolon; nil where it declares nothing that others can use.
local function statement_of(text)
  local kind, tag, body = text:match("^%s*(%l+)%s*([%w_]*)%s*(%b{})%s*$")
  if kind == "enum" then return { kind = "enum", name = tag, values = values_of(body:sub(2, -2)) } end
  if kind == "struct" then return { kind = "struct", name = tag, fields = fields_of(body:sub(2, -2)) } end
  if text:find("^%s*struct%s+[%w_]+%s*$") then return nil end
  return function_of(text)
end

local function statements(text)
  local list, from, depth = {}, 1, 0
  for at, character in text:gmatch("()([;{}])") do
    if character == "{" then depth = depth + 1 end
    if character == "}" then depth = depth - 1 end
    if character == ";" and depth == 0 then
      list[#list + 1] = text:sub(from, at - 1)
      from = at + 1
    end
  end
  return list
end

-- Everything that the headers at these paths declare: an array of { kind = "enum", name, values }, { kind = "struct",
-- name, fields } and { kind = "function", name, result, params }. A field, a result and a parameter are { type, stars,
-- name, dims, struct, enum }.
function headers.read(paths)
  local list, macros = {}, {}
  for _, path in ipairs(paths) do
    local text = without_comments(assert(fs.read(path)))
    text = with_lists(without_directives(text, macros), macros)
    text = text:gsub("__attribute__%s*%b()", ""):gsub('extern "C" {%s*\n', ""):gsub("\n}%s*\n%s*$", "\n")
    for _, statement in ipairs(statements(text)) do list[#list + 1] = statement_of(statement) end
  end
  return list
end

return headers
