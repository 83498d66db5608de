-- write_docs.lua: the parts of the documents that are written from the code: lua tools/write_docs.lua check | update.
-- A part stands between "<!-- Written by ninja docs-update: NAME -->" and "<!-- The end of what is written. -->"; all
-- other text is written by hand and left alone.
package.path = "tools/?.lua;generator/?.lua;generator/?/init.lua;" .. package.path

local fs = require "base.fs"
local fields = require "docs.fields"
local headers = require "docs.headers"
local house = require "docs.house"
local names = require "docs.names"
local scaling = require "docs.scaling"
local stages = require "docs.stages"
local walk = require "docs.walk"

local docs = {}

docs.DOCUMENTS = { "docs/spec.md", "docs/models.md", "docs/c-api.md", "docs/architecture.md", "docs/scaling.md",
  "CONTRIBUTING.md" }
docs.PICTURES = { { path = "docs/architecture.svg", draw = house.picture },
  { path = "docs/scaling.svg", draw = scaling.picture } }

local BEGIN = "( *)<!%-%- Written by ninja docs%-update: ([^\n]-) %-%->\n"
local END = " *<!%-%- The end of what is written%. %-%->"

-- What parts there are: the first row whose pattern fits makes it, of the pattern's capture.
local PARTS = {
  { "^fields: (.+)$", fields.of_group },
  { "^layouts of a layer$", names.of_layers },
  { "^layouts of whole models$", names.of_stacks },
  { "^model types$", names.of_folders },
  { "^specs$", names.of_specs },
  { "^stages of a (%l+)$", stages.of },
  { "^header: ([%w_]+)$", headers.reference },
  { "^scaling: (%l+)$", scaling.table },
  { "^the spec$", walk.spec },
  { "^the plan$", walk.plan },
  { "^the graph$", walk.graph },
  { "^the template$", walk.template },
  { "^the C$", walk.c },
}

-- A part's lines, each after so much white space.
local function part(name, indent)
  for _, row in ipairs(PARTS) do
    local what = name:match(row[1])
    if what then return (indent .. row[2](what):gsub("\n", "\n" .. indent)) end
  end
  error(("no part of a document is called %q"):format(name))
end

-- A document's text with its parts written anew, and the names of these.
function docs.written(text)
  local out, at, found = {}, 1, {}
  while true do
    local _, begin, indent, name = text:find(BEGIN, at)
    if not begin then break end
    local stop = text:find(END, begin) or error(("the part %q does not end"):format(name))
    found[#found + 1] = name
    out[#out + 1] = text:sub(at, begin) .. "\n" .. part(name, indent) .. "\n\n"
    at = stop
  end
  return table.concat(out) .. text:sub(at), found
end

-- Every file as it should be: { path, text }.
function docs.files()
  local files = {}
  for i, picture in ipairs(docs.PICTURES) do files[i] = { path = picture.path, text = picture.draw() } end
  for _, path in ipairs(docs.DOCUMENTS) do
    files[#files + 1] = { path = path, text = docs.written(assert(fs.read(path))) }
  end
  return files
end

local function main(action)
  local stale = 0
  for _, file in ipairs(docs.files()) do
    if action == "update" then
      assert(fs.write_if_changed(file.path, file.text) ~= nil)
    elseif fs.read(file.path) ~= file.text then
      print(file.path .. " is not what ninja docs-update writes")
      stale = stale + 1
    end
  end
  os.exit(stale == 0)
end

if arg and arg[0] and arg[0]:find("write_docs%.lua$") then
  assert(arg[1] == "check" or arg[1] == "update", "usage: lua tools/write_docs.lua check | update")
  main(arg[1])
end
return docs
