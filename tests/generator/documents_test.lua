-- documents_test.lua: the documents are what the code says: parts that are written from it are as the script writes
-- them, every field has its place and an example that is a spec, and links lead somewhere.
-- What commands in them do is docs_test.lua's part.
local fact = dofile("tests/generator/fact.lua")
package.path = "tools/?.lua;" .. package.path

local blocks = require "ops"
local compat = require "base.compat"
local docs = require "write_docs"
local fields = require "docs.fields"
local fs = require "base.fs"
local sandbox = require "schema.sandbox"
local spec = require "spec"

local MOST_WORDS, MOST_LINES, FIRST_SCREEN = 1000, 25, 60 -- of README, of its program, up to the story of the generator

local function all_documents()
  local list, command = {}, "find -L . ( -path ./out -o -path ./source -o -path ./bench/results ) -prune " ..
    "-o -name '*.md' -print"
  for path in compat.capture(command:gsub("[()]", "\\%0")):gmatch("[^\n]+") do list[#list + 1] = path:sub(3) end
  assert(#list > 10, #list)
  table.sort(list)
  return list
end

-- -- What is written from the code ----------------------------------------------------------------------------------

fact.holds("every part that is written is as the script writes it (ninja docs-update)", function()
  for _, file in ipairs(docs.files()) do
    if fs.read(file.path) ~= file.text then error(file.path .. " is not: run ninja docs-update") end
  end
end)

fact.holds("what stands around a written part is left alone, and a part of no name is refused", function()
  local text, found = docs.written("before\n<!-- Written by ninja docs-update: fields: build -->\nold\n" ..
    "<!-- The end of what is written. -->\nafter\n")
  fact.lists_equal(found, { "fields: build" })
  fact.contains(text, "before\n<!-- Written")
  fact.contains(text, "### `unroll`")
  fact.contains(text, "<!-- The end of what is written. -->\nafter\n")
  assert(not text:find("old\n", 1, true))
  fact.raises("no part of a document", docs.written, "<!-- Written by ninja docs-update: no such -->\n" ..
    "<!-- The end of what is written. -->")
  fact.raises("does not end", docs.written, "<!-- Written by ninja docs-update: specs -->\n")
end)

fact.holds("every group of fields has one place in the document of specs", function()
  local _, found = docs.written(assert(fs.read("docs/spec.md")))
  local wanted, there = {}, {}
  for _, group in ipairs(fields.groups()) do wanted[#wanted + 1] = "fields: " .. group end
  for _, name in ipairs(found) do there[#there + 1] = name:find("^fields: ") and name or nil end
  table.sort(wanted)
  table.sort(there)
  fact.lists_equal(there, wanted)
end)

-- -- Examples of fields ---------------------------------------------------------------------------------------------

local function of_stacks()
  local set = {}
  for _, block in ipairs(blocks) do
    for _, field in ipairs(block.fields or {}) do set[field.field] = true end
  end
  return set
end

-- What a spec needs beside an example.
local function completed(raw, is_of_stacks)
  raw.kind = raw.kind or (is_of_stacks and "encoder") or "mha"
  raw.n_heads = raw.n_heads or 4
  raw.d_model = raw.d_model or raw.kind ~= "sdpa" and 384 or nil
  if raw.kind == "sdpa" then raw.d_head = 64 end
  if raw.kind ~= "mha" and raw.kind ~= "sdpa" then
    raw.n_layers = raw.n_layers or 2
    raw.vocab_size = raw.vocab_size or raw.n_layers > 0 and 100 or nil
  end
  if type(raw.layer) == "table" and raw.layer.attention == false or raw.n_layers == 0 then raw.n_heads = nil end
  return raw
end

local function names_field(s, name)
  for _, entry in ipairs(s.given) do
    if entry.field == name then return true end
  end
end

fact.holds("every field has an example, which is a spec that says the field", function()
  local stacks = of_stacks()
  for _, field in ipairs(spec.fields()) do
    local raw = assert(sandbox.read("{ " .. (field.example or error(field.field .. " has no example")) .. " }"))
    local s, errors = spec.from_fields(completed(raw, stacks[field.field]), field.field)
    if not s then error(table.concat(errors, "\n")) end
    assert(names_field(s, field.field), field.example .. " does not give " .. field.field)
  end
end)

-- -- README and links -----------------------------------------------------------------------------------------------

fact.holds("README is a front page: so many words, a program of so many lines", function()
  local text = assert(fs.read("README.md"))
  local _, words = text:gsub("%S+", "")
  assert(words <= MOST_WORDS, ("%d words, at most %d"):format(words, MOST_WORDS))
  local program = text:match("\n\n(    const struct ga_variant.-\n)\n%S")
  local _, lines = program:gsub("\n", "")
  assert(lines <= MOST_LINES, ("a program of %d lines, at most %d"):format(lines, MOST_LINES))
  local _, screen = text:match("^(.-)\n## From a spec"):gsub("\n", "")
  assert(screen <= FIRST_SCREEN, ("a first screen of %d lines, at most %d"):format(screen, FIRST_SCREEN))
end)

-- Those of docs/architecture.md are written from the code, but for the instructions.
fact.holds("README's lines of a spec, of C and of instructions are lines of docs/architecture.md", function()
  local whole, kinds = assert(fs.read("docs/architecture.md")), {}
  for kind, lines in assert(fs.read("README.md")):gmatch("\n```(%a+)\n(.-\n)```") do
    if kind ~= "text" then
      kinds[#kinds + 1] = kind
      assert(whole:find("\n" .. lines, 1, true), ("it has no such lines of %s:\n%s"):format(kind, lines))
    end
  end
  fact.lists_equal(kinds, { "lua", "c", "asm" })
end)

-- A heading as links name it.
local function anchor(heading)
  return (heading:lower():gsub("[^%w _-]", ""):gsub(" ", "-"))
end

local function has_anchor(path, wanted)
  for heading in ("\n" .. assert(fs.read(path))):gmatch("\n#+ ([^\n]+)") do
    if anchor(heading) == wanted then return true end
  end
end

-- What is wrong with a link of a document, or nil.
local function broken(document, target)
  local path, fragment = target:match("^([^#]*)#?(.*)$")
  if path:find("^%a+:") then return nil end
  local folder = document:match("^(.*/)") or ""
  local file = path == "" and document or folder .. path
  if not compat.execute("test -e " .. file) then return ("%s leads to no file: %s"):format(document, target) end
  if fragment ~= "" and not has_anchor(file, fragment) then
    return ("%s leads to no heading: %s"):format(document, target)
  end
end

fact.holds("links lead to files and headings", function()
  local found = {}
  for _, document in ipairs(all_documents()) do
    for target in assert(fs.read(document)):gsub("```.-```", ""):gmatch("%]%(([^%s()]+)%)") do
      found[#found + 1] = broken(document, target)
    end
  end
  fact.lists_equal(found, {})
  fact.contains(broken("README.md", "docs/none.md"), "no file")
  fact.contains(broken("docs/README.md", "spec.md#none"), "no heading")
end)

-- -- Targets --------------------------------------------------------------------------------------------------------

fact.holds("every target that tests or measures is in the document of tests", function()
  local text = assert(fs.read("docs/testing.md"))
  for target in assert(fs.read(fact.build_file)):gmatch("\nbuild ([%w-]+):") do
    local is_test = target:find("^check") or target:find("^bench") or target:find("^docs")
    if is_test then fact.contains(text, "`ninja " .. target .. "`") end
  end
end)

-- -- The ABI ----------------------------------------------------------------------------------------------------------

fact.holds("documents name shared libraries by the ABI that the headers have", function()
  local abi = assert(fs.read("runtime/include/genattn/model.h")):match("GA_ABI = (%d+)")
  local seen = 0
  for _, path in ipairs(all_documents()) do
    for version in assert(fs.read(path)):gmatch("%.so%.(%d+)") do
      seen = seen + 1
      fact.equal(path .. " says .so." .. version, path .. " says .so." .. abi)
    end
  end
  assert(seen > 0, "no document names a shared library")
end)

fact.finish()
