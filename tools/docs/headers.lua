-- headers.lua: the public headers as Markdown: each declaration with the comment before it, under its own name. Reads
-- the files as text, paragraph by paragraph, as they are laid out; is no parser of C.
local fs = require "base.fs"

local headers = {}

-- What guards a header, and makes it C++ too.
local FRAME = { "^#ifndef GA_%w+_H$", "^#define GA_%w+_H$", "^#include", "^#ifdef __cplusplus$", '^extern "C" {$',
  "^}$", "^#endif$" }

local function is_frame(line)
  for _, pattern in ipairs(FRAME) do
    if line:find(pattern) then return true end
  end
end

-- The paragraphs of a header: lists of lines between blank ones that stand in no braces.
local function paragraphs(path)
  local list, lines, depth = {}, {}, 0
  for line in (assert(fs.read(path)) .. "\n\n"):gmatch("([^\n]*)\n") do
    if line == "" and depth == 0 then
      list[#list + 1] = #lines > 0 and lines or nil
      lines = {}
    elseif depth > 0 or not is_frame(line) then
      local code = line:gsub("//.*", "")
      depth = depth + select(2, code:gsub("{", "")) - select(2, code:gsub("}", ""))
      lines[#lines + 1] = line
    end
  end
  return list
end

local KINDS = { "^(struct ga_[%w_]+)", "^(enum ga_[%w_]+)" }

-- What a paragraph declares, in order: functions and types; nothing for a comment or a list.
local function declared(lines)
  local names = {}
  local function add(name) names[#names + 1] = name and "`" .. name .. "`" or nil end
  for _, line in ipairs(lines) do
    local function_name = not line:find("^[ /#]") and line:match("([%w_]+)%(")
    add(function_name)
    for _, pattern in ipairs(function_name and {} or KINDS) do add(line:match(pattern)) end
  end
  return table.concat(names, ", ")
end

-- Every declaration of a header below the sentence that the file begins with.
function headers.reference(name)
  local parts = {}
  for i, lines in ipairs(paragraphs("runtime/include/genattn/" .. name .. ".h")) do
    local title = declared(lines)
    if i == 1 then
      parts[#parts + 1] = table.concat(lines, " "):gsub("//%s?", ""):gsub("^%S+: ", ""):gsub("^%l", string.upper)
    elseif title ~= "" then
      parts[#parts + 1] = "#### " .. title .. "\n\n```c\n" .. table.concat(lines, "\n") .. "\n```"
    end
  end
  return table.concat(parts, "\n\n")
end

return headers
