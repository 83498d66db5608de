-- test_edges_of.lua: which files and steps use a file: the edges of ninja files the other way round, with what depfiles
-- and the text of hand-written C add. Runs nothing and ranks nothing: tests_of.lua does.
local compat = require "base.compat"
local fs = require "base.fs"

local M = {}

-- Folders of hand-written C, and of the templates of the rest.
local SOURCES = "runtime program text tests demo bindings examples templates"
-- What every model is generated from, where no depfile says what one was.
local GENERATOR = "generator templates"

local Graph = {}
Graph.__index = Graph

local function append(table, key, value)
  table[key] = table[key] or {}
  table[key][#table[key] + 1] = value
end

-- Says that `user` is made of, or runs, or includes `used`.
function Graph:add(used, user)
  append(self.users, used, user)
end

-- -- Ninja files ----------------------------------------------------------------------------------------------------

local function unescaped(word)
  return (word:gsub("%$(.)", "%1"))
end

-- The words of a build line; escaped blanks are part of a word.
local function words_of(line)
  local words = {}
  for word in line:gsub("%$ ", "\1"):gmatch("%S+") do words[#words + 1] = unescaped((word:gsub("\1", " "))) end
  return words
end

-- The outputs, the rule and the inputs of a build line; what comes after || is only made earlier.
local function edge_of(line)
  local outputs, rest = line:match("^build (.-): (.*)$")
  local inputs = words_of((rest:gsub(" || .*$", "")))
  return { outputs = words_of(outputs), rule = table.remove(inputs, 1), inputs = inputs }
end

local ADD = {}

function ADD.build(graph, line)
  graph.edge = edge_of(line)
  for _, output in ipairs(graph.edge.outputs) do
    graph.edges[output] = graph.edge
    for _, input in ipairs(graph.edge.inputs) do
      if input ~= "|" then graph:add(input, output) end
    end
  end
end

-- A word that ninja.word wrote.
local function plain(value)
  return (unescaped(value):gsub("^'(.*)'$", "%1"):gsub("'\\''", "'"))
end

function ADD.variable(graph, line)
  local name, value = line:match("^  ([%w_]+) = (.*)$")
  if name and graph.edge then graph.edge[name] = plain(value) end
end

local function add_ninja(graph, text)
  graph.edge = nil
  for line in text:gsub("%$\n *", ""):gmatch("[^\n]+") do
    if line:find("^build ") then ADD.build(graph, line) elseif line:find("^  ") then ADD.variable(graph, line) end
  end
end

-- -- What ninja files do not say ------------------------------------------------------------------------------------

-- The paths that a command prints, one a line.
local function paths_of(command)
  local paths = {}
  for path in compat.capture(command):gmatch("[^\n]+") do paths[#paths + 1] = path end
  return paths
end

-- A header is used by the hand-written files and the templates that include its name.
local function add_includes(graph)
  local by_name = {}
  local files = paths_of(("find -L %s -type f '(' -name '*.[ch]' -o -name '*.lt' ')'"):format(SOURCES))
  for _, path in ipairs(files) do append(by_name, path:match("[^/]*$"), path) end
  for _, path in ipairs(files) do
    for name in fs.read(path):gmatch('#include "([^"]*)"') do
      for _, header in ipairs(by_name[name:match("[^/]*$")] or {}) do graph:add(header, path) end
    end
  end
end

-- The files that the models of a folder were generated from: what its depfile says.
local function generated_from(folder)
  local depfile = fs.read(folder .. "/emit.d")
  return depfile and words_of((depfile:gsub("^[^\n]-:", ""):gsub("\\\n", " ")))
end

-- A model's folder uses what it was generated from, all of the generator before there is a depfile; its files use it.
local function add_generated(graph)
  local all, seen = paths_of(("find -L %s -type f"):format(GENERATOR)), {}
  for output, edge in pairs(graph.edges) do
    if edge.rule == "emit" then
      graph:add(edge.dir, output)
      for _, path in ipairs(not seen[edge.dir] and (generated_from(edge.dir) or all) or {}) do
        graph:add(path, edge.dir)
      end
      seen[edge.dir] = true
    end
  end
end

-- The graph of these ninja files.
function M.read(paths)
  local graph = setmetatable({ users = {}, edges = {} }, Graph)
  for _, path in ipairs(paths) do add_ninja(graph, assert(fs.read(path))) end
  add_includes(graph)
  add_generated(graph)
  return graph
end

-- Everything that uses a file, as a set: { [path] = how many files are between, and 1 }.
function Graph:all_users(path)
  local distance, queue, at = { [path] = 0 }, { path }, 1
  while queue[at] do
    for _, user in ipairs(self.users[queue[at]] or {}) do
      if not distance[user] then
        distance[user] = distance[queue[at]] + 1
        queue[#queue + 1] = user
      end
    end
    at = at + 1
  end
  return distance
end

return M
