-- sandbox.lua: reads a spec file, which looks like a Lua table constructor, as data.
-- Runs nothing: it is a reader of its own, because `load`, even in an empty environment, calls, loops and allocates,
-- and the two Luas disagree on numbers and messages.
--
--   file   = ["return"] table [";"]
--   table  = "{" [item { ("," | ";") item } ["," | ";"]] "}"
--   item   = [name "="] value
--   value  = string without backslashes | decimal number | true | false | table
local types = require "schema.types"

local sandbox = {}

local MAX_BYTES = 65536
sandbox.MAX_BYTES = MAX_BYTES
local MAX_DEPTH = 16
local MAX_WORD = 64
local EXAMPLE = "{ d_model = 512, n_heads = 8, ... }"

local Reader = {}
Reader.__index = Reader

-- -- Tokens ---------------------------------------------------------------------------------------------------------

-- A token as messages show it.
local function shown(token)
  if token == "" then return "the end of the file" end
  if token:find("^[\194-\244][\128-\191]+$") then return '"' .. token .. '"' end
  if token:find("^[%c\127-\255]") then return ("a byte %d"):format(token:byte()) end
  return '"' .. (#token > MAX_WORD and token:sub(1, MAX_WORD) .. "..." or token) .. '"'
end

-- Leaves the reader; sandbox.read turns it into nil and the message.
function Reader:fail(format, ...)
  local _, breaks = self.source:sub(1, self.at - 1):gsub("\n", "")
  error({ message = ("line %d: "):format(breaks + 1) .. format:format(...) })
end

function Reader:refuse(token)
  self:fail("%s cannot be in a spec, which is data: fields, numbers, plain strings, true, false and {}",
    shown(token))
end

-- Moves after blanks and comments.
function Reader:skip()
  repeat
    local from = self.at
    self.at = self.source:match("^%s*()", self.at)
    local level = self.source:match("^%-%-%[(=*)%[", self.at)
    if level then
      local _, stop = self.source:find("]" .. level .. "]", self.at, true)
      if not stop then self:fail("this comment is never closed") end
      self.at = stop + 1
    else
      self.at = self.source:match("^%-%-[^\n]*()", self.at) or self.at
    end
  until self.at == from
end

-- What stands at the reader, whole enough to be shown: a word, a number with what clings to it, or one character.
function Reader:glimpse()
  return self.source:match("^[%a_][%w_]*", self.at) or self.source:match("^%-?%.?%d[%w_.]*", self.at)
    or self.source:match("^[\194-\244][\128-\191]+", self.at) or self.source:sub(self.at, self.at)
end

-- Takes the mark if it comes next.
function Reader:take(mark)
  if self.source:sub(self.at, self.at) ~= mark then return false end
  self.at = self.at + 1
  self:skip()
  return true
end

-- -- Values ---------------------------------------------------------------------------------------------------------

function Reader:string()
  local quote = self.source:sub(self.at, self.at)
  local stop = self.source:find("[\\\n" .. quote .. "]", self.at + 1)
  local ending = stop and self.source:sub(stop, stop)
  if ending == "\\" then self:fail("a string of a spec holds no backslash") end
  if ending ~= quote then self:fail("this string is never closed") end
  local value = self.source:sub(self.at + 1, stop - 1)
  self.at = stop + 1
  return value
end

function Reader:number()
  local from = self.at
  self.at = self.source:match("^%-?[%d.]+[eE][+-]?%d+()", from) or self.source:match("^%-?[%d.]+()", from)
  local value = types.decimal(self.source:sub(from, self.at - 1))
  if value and not self.source:find("^[%w_]", self.at) then return value end
  self.at = from
  local found = self:glimpse()
  if found:find("^%d+%.%.%d+$") then self:fail('a range is a string: "%s"', found) end
  self:fail("%s is not a decimal number", shown(found))
end

local WORDS = { ["true"] = true, ["false"] = false }

function Reader:word()
  local word = self:glimpse()
  if WORDS[word] == nil then
    self:fail("%s is not a value; a string must be in quotes, and a field that is not given is left out", shown(word))
  end
  self.at = self.at + #word
  return WORDS[word]
end

-- By the pattern of how they start.
local VALUES = {
  { "^[\"']", "string" }, { "^%-?%.?%d", "number" }, { "^[%a_]", "word" }, { "^{", "table" },
}

-- What kind of value starts here, nil for none.
function Reader:value_kind()
  for _, row in ipairs(VALUES) do
    if self.source:find(row[1], self.at) then return row[2] end
  end
end

function Reader:value()
  local kind = self:value_kind()
  if not kind then self:refuse(self:glimpse()) end
  local value = self[kind](self)
  self:skip()
  return value
end

-- One item into `fields`.
function Reader:item(fields)
  local name, after = self.source:match("^([%a_][%w_]*)()", self.at)
  if name and #name > MAX_WORD then self:refuse(name) end
  local start = self.at
  self.at = after or start
  self:skip()
  if not name or not self:take("=") then
    self.at = start
    fields[#fields + 1] = self:value()
    return
  end
  if fields[name] ~= nil then self:fail("%s is given twice", name) end
  fields[name] = self:value()
end

-- Between two items; the last one may have none after it.
function Reader:separator()
  if self:take(",") or self:take(";") then return end
  if self.at > #self.source or self.source:find("^}", self.at) then return end
  if not self:value_kind() then self:refuse(self:glimpse()) end
  self:fail('expected "," or "}" before %s', shown(self:glimpse()))
end

function Reader:table()
  local fields, start = {}, self.at
  self.depth = self.depth + 1
  if self.depth > MAX_DEPTH then self:fail("nested deeper than %d", MAX_DEPTH) end
  self:take("{")
  while not self:take("}") do
    if self.at > #self.source then
      self.at = start
      self:fail('this "{" is never closed')
    end
    self:item(fields)
    self:separator()
  end
  self.depth = self.depth - 1
  return fields
end

function Reader:file()
  self:skip()
  self.at = self.source:match("^return%f[^%w_]()", self.at) or self.at
  self:skip()
  if self.source:sub(self.at, self.at) ~= "{" then
    self:fail("expected a table, %s, found %s", EXAMPLE, shown(self:glimpse()))
  end
  local fields = self:table()
  self:take(";")
  if self.at <= #self.source then self:fail("%s after the table, with which a spec ends", shown(self:glimpse())) end
  return fields
end

-- The table that the text describes, or nil and why not.
function sandbox.read(source)
  if #source > MAX_BYTES then return nil, ("longer than %d bytes, which no spec is"):format(MAX_BYTES) end
  local reader = setmetatable({ source = source:gsub("\r\n?", "\n"), at = 1, depth = 0 }, Reader)
  local ok, result = pcall(reader.file, reader)
  if ok then return result end
  if type(result) ~= "table" then error(result, 0) end
  return nil, result.message
end

return sandbox
