-- ninja.lua: writes ninja files and depfiles, every path and value escaped, in the order of the calls.
-- Knows the syntax only: which rules and targets there are is the caller's.
local fmt = require "base.fmt"

local ninja = {}

local WIDTH = 120

-- Text that goes into a variable as it stands, so that it may refer to other variables ($cflags).
function ninja.raw(value)
  return { raw = value }
end

-- Text that a command takes as one word, whatever is in it.
function ninja.word(value)
  return { raw = fmt.ninja_escape(fmt.sh_quote(value)) }
end

local function value_text(value)
  return type(value) == "table" and value.raw or fmt.ninja_escape(value)
end

-- Words after `first`, broken into lines that ninja joins again.
local function fold(first, words)
  local lines, line = {}, first
  for _, word in ipairs(words) do
    if #line + #word + 3 > WIDTH then
      lines[#lines + 1] = line .. " $"
      line = "   "
    end
    line = line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function append_paths(words, mark, paths)
  if not paths or #paths == 0 then return end
  if mark then words[#words + 1] = mark end
  for _, path in ipairs(paths) do words[#words + 1] = fmt.ninja_path(path) end
end

local Writer = {}
Writer.__index = Writer

function Writer:line(content)
  self.lines[#self.lines + 1] = content or ""
end

function Writer:comment(words)
  self:line("# " .. fmt.comment(words))
end

-- name = value; the value is a string, ninja.raw(...) or ninja.word(...).
function Writer:variable(name, value)
  self:line(name .. " = " .. value_text(value))
end

-- edge: rule, outputs, and optionally implicit_outputs, inputs, implicit, order_only (arrays of paths) and
-- variables (an array of { name, value }).
function Writer:build(edge)
  local outputs = {}
  append_paths(outputs, nil, edge.outputs)
  append_paths(outputs, "|", edge.implicit_outputs)
  outputs[#outputs] = outputs[#outputs] .. ":"
  outputs[#outputs + 1] = edge.rule
  append_paths(outputs, nil, edge.inputs)
  append_paths(outputs, "|", edge.implicit)
  append_paths(outputs, "||", edge.order_only)
  self:line(fold("build", outputs))
  for _, pair in ipairs(edge.variables or {}) do
    self:line("  " .. pair[1] .. " = " .. value_text(pair[2]))
  end
end

-- A name that stands for the given paths.
function Writer:phony(name, paths)
  self:build({ rule = "phony", outputs = { name }, inputs = paths })
end

-- Everything written so far.
function Writer:text()
  return table.concat(self.lines, "\n") .. "\n"
end

-- A new, empty ninja file.
function ninja.writer()
  return setmetatable({ lines = {} }, Writer)
end

-- What of a path no depfile says to ninja: it reads these bytes as the end of a name, and has no escape for them. nil
-- where there is none.
function ninja.unspeakable(path)
  return path:match("[%c\\'\"*&;|?<>`^]")
end

local function make_path(path)
  return (path:gsub("%$", "$$"):gsub("[ #:\\]", "\\%0"))
end

-- A depfile: `target`, the first output of its edge, depends on `inputs`.
function ninja.depfile(target, inputs)
  local lines = { make_path(target) .. ":" }
  for _, path in ipairs(inputs) do lines[#lines + 1] = "  " .. make_path(path) end
  return table.concat(lines, " \\\n") .. "\n"
end

return ninja
