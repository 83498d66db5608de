-- circles.lua: no file uses another that uses it, which nobody could read one after the other: objects of archives by
-- the symbols that nm shows, modules of the generator by what they require. lua circles.lua ARCHIVE... Which floor a
-- file may use is tests/lint/floors.lua's affair.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local MODULES = { "generator/%s.lua", "generator/%s/init.lua" }

-- A graph: files in order, and by each the set of those it uses.
local function add_use(graph, from, to)
  if from == to then return end
  graph[from][to] = true
end

local function add_file(graph, name)
  if graph[name] then return end
  graph[name] = {}
  graph[#graph + 1] = name
end

-- -- C ----------------------------------------------------------------------------------------------------------------

-- Each object with the symbols that it has and those that it wants.
local function symbols_of(archives)
  local output, code = compat.capture("nm -A " .. table.concat(archives, " "))
  assert(code == 0, output)
  local graph, owner, wants = {}, {}, {}
  for line in output:gmatch("[^\n]+") do
    local object, kind, name = line:match("^([^:]*:[^:]*):%x*%s+(%a) ([^@%s]*)")
    if object then
      add_file(graph, object)
      if kind == "U" then wants[#wants + 1] = { object, name } end
      if kind:find("[TDRBV]") then owner[name] = object end
    end
  end
  return graph, owner, wants
end

local function objects(archives)
  local graph, owner, wants = symbols_of(archives)
  for _, want in ipairs(wants) do
    if owner[want[2]] then add_use(graph, want[1], owner[want[2]]) end
  end
  return graph
end

-- -- Lua --------------------------------------------------------------------------------------------------------------

local function module_file(name)
  for _, pattern in ipairs(MODULES) do
    local path = pattern:format((name:gsub("%.", "/")))
    if fs.exists(path) then return path end
  end
end

local function modules()
  local graph = {}
  local output, code = compat.capture("find -L generator -name '*.lua' | sort")
  assert(code == 0, output)
  for path in output:gmatch("[^\n]+") do add_file(graph, path) end
  for _, path in ipairs(graph) do
    for name in assert(fs.read(path)):gmatch("require%s*%(?%s*[\"']([%w_.]+)[\"']") do
      local used = module_file(name)
      if used and graph[used] then add_use(graph, path, used) end
    end
  end
  return graph
end

-- -- Circles ----------------------------------------------------------------------------------------------------------

local function sorted(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- The first circle that a walk from `file` meets, as a path of names; state: false while a file's own walk is on.
local function circle_from(graph, file, state, path)
  path[#path + 1] = file
  state[file] = false
  for _, used in ipairs(sorted(graph[file])) do
    if state[used] == false then return table.concat(path, " -> ") .. " -> " .. used end
    local found = state[used] == nil and circle_from(graph, used, state, path)
    if found then return found end
  end
  state[file] = true
  path[#path] = nil
end

local passed, failed = 0, 0

local function check(graph)
  local state = {}
  for _, file in ipairs(graph) do
    local circle = state[file] == nil and circle_from(graph, file, state, {})
    if circle then
      failed = failed + 1
      print("files use each other: " .. circle)
      return
    end
    passed = passed + 1
  end
end

check(objects(arg))
check(modules())
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0)
