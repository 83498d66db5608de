-- prose.lua: counts the turns of phrase that tire readers, a row for each page: the documents, what --help prints, the
-- comments of public headers. A help for writers and not a gate: it never fails on a count. CONTRIBUTING.md says what
-- to write in their place. lua prose.lua [FILE...]
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local TURNS = { "is no ", "are no ", "that of", "of which", "by which", "stands", "beside" }

-- Pages that are files, and those that a command prints: the second are left out where it does not run.
local FILES = "ls README.md CONTRIBUTING.md SECURITY.md docs/*.md */README.md " ..
  "runtime/include/genattn/*.h text/ga_text.h | sort -u"
local PRINTED = "ls out/bin/* 2>/dev/null"

-- The prose of a page in one line: of a header its comments, of a document what is in no block of code and not in the
-- table of examples of CONTRIBUTING.md.
local function prose_of(path, text)
  if path:find("%.h$") then
    local comments = {}
    for comment in text:gmatch("//([^\n]*)") do comments[#comments + 1] = comment end
    text = table.concat(comments, "\n")
  elseif path:find("%.md$") then
    text = ("\n" .. text):gsub("\n```.-\n```", ""):gsub("\n    [^\n]*", ""):gsub("\n| Before |.-\n\n", "\n")
  end
  return (text:gsub("%s+", " "):lower())
end

-- A turn counts where it is whole words: "besides" is not "beside".
local function count(text, turn)
  local _, found = text:gsub("%f[%w]" .. turn .. (turn:find(" $") and "" or "%f[%W]"), "")
  return found
end

local function pages(given)
  local list = {}
  if given[1] then
    for _, path in ipairs(given) do list[#list + 1] = { path, assert(fs.read(path)) } end
    return list
  end
  for path in compat.capture(FILES):gmatch("[^\n]+") do list[#list + 1] = { path, assert(fs.read(path)) } end
  list[#list + 1] = { "./configure --help", (compat.capture("sh ./configure --help")) }
  local program = compat.capture(PRINTED):match("^[^\n]+")
  if program then list[#list + 1] = { program .. " --man", (compat.capture(program .. " --man")) } end
  return list
end

local function row(name, numbers, total)
  print(("%-40s"):format(name) .. table.concat(numbers) .. ("%8s"):format(total))
end

local function cells(values)
  local list = {}
  for i, value in ipairs(values) do list[i] = ("%10s"):format(value == 0 and "." or value) end
  return list
end

local sums, all = {}, 0
row("turns of phrase", cells(TURNS), "all")
for _, page in ipairs(pages(arg)) do
  local text, numbers, total = prose_of(page[1], page[2]), {}, 0
  for i, turn in ipairs(TURNS) do
    numbers[i] = count(text, turn)
    sums[i], total = (sums[i] or 0) + numbers[i], total + numbers[i]
  end
  all = all + total
  row(page[1], cells(numbers), total)
end
row("all pages", cells(sums), all)
