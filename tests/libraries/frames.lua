-- frames.lua: how much stack the library takes, by what gcc wrote beside each object (-fcallgraph-info=su): no function
-- above its bound, none of a size that is only known when it runs, none that calls itself, not even through others.
-- Runs nothing and measures nothing itself: lua frames.lua LIST, a file with the library's objects, one a line.
package.path = "generator/?.lua;" .. package.path

local fs = require "base.fs"

-- Bytes a function may take. Twice what the largest takes: a call must fit the small stacks of a host's threads.
local BOUNDS = {
  { pattern = "^runtime/weights/", bytes = 16384 }, -- what reads and writes files has names and paths at hand
  { pattern = "^runtime/packed/", bytes = 16384 },
  { pattern = "^out/gen/.*_matrix_.*_int[48]_gemm_", bytes = 24576 }, -- totals of 128 rows take 16384 bytes
  { pattern = "^out/gen/.*_matrix_", bytes = 8192 }, -- the sums of 32 rows by 32 columns are 4096 bytes
  { pattern = "", bytes = 4096 },
}
-- And a whole call, from ga_model_run down: half of the smallest stack that musl ever gave a thread (80 KiB); where the
-- CPU has AMX, which is younger than musl's 128 KiB of 2019, a little more.
local CHAINS = { { pattern = "avx512amx$", bytes = 45056 }, { pattern = "", bytes = 40960 } }
local INDIRECT, ENTRY = "__indirect_call", "ga_model_run"
-- Calls through pointers on a chain: a variant's run, the scheduler, its task, a kernel of one tile.
local POINTERS = 4

-- Lines of the file: a function with its size, which stands before its calls; and a call.
local NODE = '^node: { title: "([^"]*)" label: "[^"\\]*\\n([^":\\]*):[%d:]*\\n(%d+) bytes %(([%a,]+)%)'
local EDGE = '^edge: { sourcename: "([^"]*)" targetname: "([^"]*)"'

local passed, failures = 0, {}

local function fail(message, ...)
  failures[#failures + 1] = message:format(...)
end

-- -- Reading --------------------------------------------------------------------------------------------------------

-- Adds a .ci file's functions to graph: by title { title, bytes, kind, source, calls = array of titles }.
local function read_graph(graph, path)
  for line in (assert(fs.read(path))):gmatch("[^\n]+") do
    local title, source, bytes, kind = line:match(NODE)
    if title then
      graph[title] = { title = title, bytes = tonumber(bytes), kind = kind, source = source, calls = {} }
    else
      local from, to = line:match(EDGE)
      local calls = from and graph[from] and graph[from].calls
      if calls and not calls[to] then
        calls[to] = true
        calls[#calls + 1] = to
      end
    end
  end
end

-- The objects of a list in groups: those every model shares, and those of each model and instruction set.
local function read_groups(list)
  local shared, groups, by_key = {}, {}, {}
  for object in assert(fs.read(list)):gmatch("[^\n]+") do
    local path = object:gsub("%.o$", ".ci")
    local isa, folder = path:match("([^/]*)%.ci$"):match(".*__(%w+)_"), path:match("^(.*/gen/.*)/")
    local group = shared
    if isa then
      local key = folder .. " " .. isa
      group = by_key[key] or { key = key }
      if not by_key[key] then groups[#groups + 1] = group end
      by_key[key] = group
    end
    if fs.exists(path) then
      group[#group + 1] = path
    else
      fail("%s: the compiler wrote no %s beside it", object, path:match("[^/]*$"))
    end
  end
  return shared, groups
end

-- -- Single functions -----------------------------------------------------------------------------------------------

local largest = { bytes = 0, title = "none" }

local function bound_of(bounds, name)
  for _, row in ipairs(bounds) do
    if name:find(row.pattern) then return row.bytes end
  end
end

local function check_frames(graph)
  for title, node in pairs(graph) do
    local bound = bound_of(BOUNDS, node.source)
    if node.kind == "dynamic" then
      fail("%s (%s): its frame has no bound: alloca, or an array whose length is not a constant", title, node.source)
    elseif node.bytes > bound then
      fail("%s (%s): a frame of %d bytes; at most %d are allowed", title, node.source, node.bytes, bound)
    else
      passed = passed + 1
    end
    if node.bytes > largest.bytes or node.bytes == largest.bytes and title < largest.title then largest = node end
  end
end

-- -- Chains of calls ------------------------------------------------------------------------------------------------

-- Says of every function whether it reaches itself by calls that name what they call.
local function check_recursion(graph)
  local state = {}
  local function walk(title)
    state[title] = "open"
    for _, callee in ipairs(graph[title].calls) do
      if graph[callee] and state[callee] == "open" then
        fail("%s (%s): calls itself, through %s", callee, graph[callee].source, title)
      elseif graph[callee] and not state[callee] then
        walk(callee)
      end
    end
    state[title] = "done"
  end
  for title in pairs(graph) do
    if not state[title] then walk(title) end
  end
end

-- What a call through a pointer may reach: functions of a model that nobody calls by name, and the pool.
local function pointed_at(graph)
  local named, targets = {}, {}
  for _, node in pairs(graph) do
    for _, callee in ipairs(node.calls) do named[callee] = true end
  end
  for title in pairs(graph) do
    if not named[title] and title ~= ENTRY then targets[#targets + 1] = title end
  end
  return targets
end

-- Bytes of the deepest chain from a function down, of which so many calls go through pointers. What the C library takes
-- is not counted.
local function deepest(graph, targets, title, pointers, known)
  local key = pointers .. title
  if not graph[title] then return 0 end
  if known[key] then return known[key] end
  local most = 0
  known[key] = graph[title].bytes -- what is left of a circle, which check_recursion has told
  for _, callee in ipairs(graph[title].calls) do
    local is_pointer = callee == INDIRECT
    for _, reached in ipairs(is_pointer and (pointers > 0 and targets or {}) or { callee }) do
      most = math.max(most, deepest(graph, targets, reached, is_pointer and pointers - 1 or pointers, known))
    end
  end
  known[key] = graph[title].bytes + most
  return known[key]
end

local deepest_chain = { bytes = 0, key = "none" }

local function check_chain(shared, group)
  local graph, own = {}, {}
  for _, path in ipairs(group) do read_graph(own, path) end
  check_frames(own)
  for _, part in ipairs({ shared, own }) do
    for title, node in pairs(part) do graph[title] = node end
  end
  check_recursion(graph)
  if not graph[ENTRY] then return end
  local bytes = deepest(graph, pointed_at(graph), ENTRY, POINTERS, {})
  local bound = bound_of(CHAINS, group.key)
  if bytes > bound then fail("%s: a call may take %d bytes of stack; %d are allowed", group.key, bytes, bound) end
  if bytes > deepest_chain.bytes then deepest_chain = { bytes = bytes, key = group.key } end
  passed = passed + 1
end

local function main(list)
  local paths, groups = read_groups(list)
  local shared = {}
  for _, path in ipairs(paths) do read_graph(shared, path) end
  check_frames(shared)
  check_recursion(shared)
  for _, group in ipairs(groups) do check_chain(shared, group) end
  for _, message in ipairs(failures) do print(message) end
  print(("the largest frame: %d bytes, %s; a whole call at most %d, %s"):format(largest.bytes, largest.title,
    deepest_chain.bytes, deepest_chain.key))
  print(("%d passed, %d failed"):format(passed, #failures))
  return #failures == 0 and passed > 0
end

os.exit(main(arg[1]) and 0 or 1)
