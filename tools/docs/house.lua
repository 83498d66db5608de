-- house.lua: draws how genattn works as an SVG picture: from a spec to a program, a box for each stage, and beside it
-- what it takes and who uses it. Names in the boxes are those of the tree, and arrows between code are real requires
-- and includes: a folder without a box, or an arrow that no file bears out, is an error.
local compat = require "base.compat"
local fs = require "base.fs"
local text = require "base.text"

local house = {}

-- Rows from top to bottom, left to right. title; says: what it is; code: folders whose files it is; lists: a folder
-- whose names it shows, of folders or of files.
local ROWS = {
  { { id = "import", title = "import", says = "folders of transformers and GGUF files, read as specs",
      code = { "generator/import" } },
    { id = "spec", title = "1  spec", says = "a table of fields, checked: features of attention, blocks of models",
      code = { "generator/spec", "generator/schema", "generator/attention", "generator/ops",
        "generator/import/maps" } },
    { id = "specs", title = "specs/*.lua, flags", says = "specs of well-known models; each field is also a flag of " ..
      "./configure" } },
  { { id = "isa", title = "instruction sets", says = "a table each:", lists = "generator/isa",
      code = { "generator/isa" } },
    { id = "plan", title = "2  plan", says = "graph of operations, tiles, packed weights, scratch, names of " ..
      "kernels: numbers, no C", code = { "generator/plan" } },
    { id = "formats", title = "number formats", says = "a table each:", lists = "generator/formats",
      code = { "generator/formats" } } },
  { { id = "templates", title = "templates", says = "C with lines of Lua:", lists = "templates" },
    { id = "emit", title = "3  emit", says = "the plan's numbers in the templates' C; decides nothing",
      code = { "generator/emit", "generator/template.lua" } },
    { id = "fragments", title = "fragments", says = "C of each feature and block, spliced into templates: " ..
      "attention/modifiers, ops" } },
  { { id = "build", title = "configure, ninja", says = "finds the compiler, writes the edges by which ninja compiles",
      code = { "generator/build", "generator/configure.lua", "generator/main.lua", "generator/ninja.lua",
        "generator/base" } },
    { id = "gen", title = "4  generated C", says = "out/gen/NAME: kernels for each instruction set, the schedule " ..
      "of a call, the table of the model" },
    { id = "dist", title = "an archive of one model", says = "the C, the runtime, a Makefile and a CMakeLists.txt, " ..
      "for machines without Lua" } },
  { { id = "runtime", title = "runtime", says = "C that every model shares:", lists = "runtime",
      code = { "runtime" } },
    { id = "library", title = "5  library", says = "libNAME.so, libNAME.a, NAME.h: no global state, no allocation " ..
      "in a call" },
    { id = "bindings", title = "bindings", says = "the library from other languages:", lists = "bindings",
      code = { "bindings" } } },
  { { id = "text", title = "text", says = "libga_text: text to token ids and back:", lists = "text",
      code = { "text" } },
    { id = "program", title = "6  program", says = "out/bin/NAME, one code for all models:", lists = "program",
      code = { "program" } },
    { id = "users", title = "demo, examples, bench", says = "programs and scripts that use library, program and " ..
      "bindings" } },
}

-- Arrows between boxes that are neighbours. uses: the one whose files name those of the other, where both are code.
local ARROWS = {
  { "import", "spec", uses = "import" }, { "specs", "spec" }, { "spec", "plan", uses = "plan" },
  { "isa", "plan", uses = "plan" }, { "formats", "plan", uses = "plan" }, { "plan", "emit", uses = "emit" },
  { "templates", "emit" }, { "fragments", "emit" }, { "emit", "gen" }, { "build", "gen" }, { "gen", "dist" },
  { "gen", "library" }, { "runtime", "library" }, { "library", "bindings" }, { "library", "program" },
  { "text", "program", uses = "program" }, { "program", "users" },
}

-- Further uses that the picture's order stands for, without an arrow of their own.
local USES = { { "program", "runtime" }, { "bindings", "runtime" }, { "bindings", "text" }, { "build", "emit" } }

-- -- What the tree says ---------------------------------------------------------------------------------------------

local function each_box(f)
  for r, row in ipairs(ROWS) do
    for c, box in ipairs(row) do f(box, r, c) end
  end
end

-- The box of a path: that with the longest of its folders before it.
local function box_of(path)
  local found, longest
  each_box(function(box)
    for _, root in ipairs(box.code or {}) do
      local is_in = path == root or path:sub(1, #root + 1) == root .. "/"
      if is_in and #root > (longest or 0) then found, longest = box.id, #root end
    end
  end)
  return found
end

local function paths_of(words)
  local paths = {}
  for path in compat.capture(("find -L %s | LC_ALL=C sort"):format(words)):gmatch("[^\n]+") do
    paths[#paths + 1] = path
  end
  return paths
end

-- Paths by what files call them: a module of Lua, or a header of C.
local function names_of(paths)
  local by_name = {}
  for _, path in ipairs(paths) do
    local module = path:match("^generator/(.*)%.lua$")
    if module then by_name[(module:gsub("/init$", ""):gsub("/", "."))] = path end
    local header = path:match("([^/]+%.h)$")
    if header then by_name[header] = path end
  end
  return by_name
end

-- Which box uses which, as a set of "user used".
local function uses_of(paths)
  local by_name, uses = names_of(paths), {}
  for _, path in ipairs(paths) do
    local user = box_of(path)
    if not user then error(path .. ": no box of the picture has it; give it one in tools/docs/house.lua", 0) end
    local content = assert(fs.read(path))
    for _, pattern in ipairs({ 'require%s*%(?%s*"([%w_.]+)"', '#include "([^"]+)"' }) do
      for word in content:gmatch(pattern) do
        local used = by_name[word:match("([^/]+%.h)$") or word]
        if used then uses[user .. " " .. box_of(used)] = true end
      end
    end
  end
  return uses
end

local function check_uses()
  local uses = uses_of(paths_of("generator runtime text program bindings -type f " ..
    "'(' -name '*.lua' -path 'generator/*' -o -name '*.[ch]' ')'"))
  local function check(user, used)
    if not uses[user .. " " .. used] then error(("no file of %s names one of %s"):format(user, used), 0) end
  end
  for _, arrow in ipairs(ARROWS) do
    local used = arrow.uses == arrow[1] and arrow[2] or arrow[1]
    if arrow.uses then check(arrow.uses, used) end
  end
  for _, pair in ipairs(USES) do check(pair[1], pair[2]) end
end

-- Files that are not one of the folder's tables.
local NO_TABLES = { init = true, helpers = true }

-- Names in a folder: of its folders, or of its Lua files where it has none.
local function listed(folder)
  local names = {}
  for _, path in ipairs(paths_of(folder .. " -mindepth 1 -maxdepth 1 -type d")) do
    names[#names + 1] = path:match("[^/]*$")
  end
  if #names > 0 then return table.concat(names, ", ") end
  for _, name in ipairs(assert(fs.list(folder))) do
    local module = name:match("^(.*)%.lua$")
    names[#names + 1] = not NO_TABLES[module or "init"] and module or nil
  end
  return table.concat(names, ", ")
end

-- -- Drawing --------------------------------------------------------------------------------------------------------

local WIDTHS, GAP, HEIGHT, LEVEL, MARGIN, LETTERS = { 268, 312, 268 }, 52, 96, 130, 20, 6.5

local STYLE = [[
<style>
  text { font: 12px sans-serif; fill: #1f2328; text-anchor: middle; }
  .title { font-size: 15px; font-weight: bold; }
  rect { fill: #f6f8fa; stroke: #8c959f; }
  .stage { fill: #ddf4ff; stroke: #0969da; }
  path { fill: none; stroke: #57606a; stroke-width: 1.5; }
  marker path { fill: #57606a; stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } rect { fill: #161b22; stroke: #6e7681; } .stage { fill: #0c2d6b; stroke: #58a6ff; }
    path { stroke: #8b949e; } marker path { fill: #8b949e; }
  }
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path
 d="M0 0 8 4 0 8z"/></marker></defs>]]

local function place(box, row, column)
  box.x = MARGIN
  for c = 1, column - 1 do box.x = box.x + WIDTHS[c] + GAP end
  box.width, box.y = WIDTHS[column], MARGIN + (row - 1) * LEVEL
  box.is_stage = column == 2
end

-- The folders of a stage, without what they share.
local function folders_of(box)
  local names = {}
  for i, folder in ipairs(box.code) do names[i] = folder:match("([^/]*)$") end
  return ("%s/ %s"):format(box.code[1]:match("^%a+"), table.concat(names, ", "))
end

local function draw_box(out, box)
  local middle = box.x + box.width / 2
  out('<rect x="%d" y="%d" width="%d" height="%d" rx="6"%s/>', box.x, box.y, box.width, HEIGHT,
    box.is_stage and ' class="stage"' or "")
  out('<text class="title" x="%d" y="%d">%s</text>', middle, box.y + 22, box.title)
  local says = box.says .. (box.lists and " " .. listed(box.lists) or "")
  local lines = text.wrap(says, math.floor((box.width - 16) / LETTERS), 0)
  if box.is_stage and box.code and not box.lists then lines[#lines + 1] = folders_of(box) end
  for i, line in ipairs(lines) do out('<text x="%d" y="%d">%s</text>', middle, box.y + 24 + 16 * i, line) end
end

-- From edge to edge: boxes are neighbours, so that nothing is between them.
local function draw_arrow(out, from, to)
  local is_down = from.x == to.x
  local x = is_down and from.x + from.width / 2 or from.x < to.x and from.x + from.width or from.x
  local end_x = is_down and x or from.x < to.x and to.x or to.x + to.width
  local y = is_down and from.y + HEIGHT or from.y + HEIGHT / 2
  out('<path d="M%d %d %d %d" marker-end="url(#end)"/>', x, y, end_x, is_down and to.y or y)
end

-- The whole picture as text.
function house.picture()
  local lines, boxes = {}, {}
  local function out(format, ...) lines[#lines + 1] = format:format(...) end
  check_uses()
  each_box(function(box, row, column)
    place(box, row, column)
    boxes[box.id] = box
    draw_box(out, box)
  end)
  for _, arrow in ipairs(ARROWS) do draw_arrow(out, boxes[arrow[1]], boxes[arrow[2]]) end
  local last = boxes.users
  local head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n' ..
    "<title>From a spec to a program: the stages of genattn, and what each of them uses</title>\n"):format(
    last.x + last.width + MARGIN, last.y + HEIGHT + MARGIN)
  return head .. STYLE .. "\n" .. table.concat(lines, "\n") .. "\n</svg>\n"
end

return house
