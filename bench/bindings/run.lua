-- run.lua: time per call of a small layer from each host, compared with the plain C call, and the size of what each
-- host loads: lua run.lua FOLDER. FOLDER is a build of bench/bindings/layer.lua with --lua, and --python where Python
-- has numpy. A host that is not there is skipped aloud. Hosts take turns; each is told by the least of its times.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local folder = arg[1]
local ROUNDS, CALLS = 5, 200
local LUA = ("LUA_PATH='%s/out/lua/?.lua' LUA_CPATH='%s/out/lua/?.so' "):format(folder, folder)
local PYTHON = ("PYTHONPATH='%s/site' python3 -B bench/bindings/call.py"):format(folder)
local LINK = ("-O2 -I %s/out/include %%s %s/out/lib/libbound_128_4.a -lm -pthread -o %s/"):format(folder, folder,
  folder)
local IS_THERE, HAS_WHEEL = "command -v %s >/dev/null 2>&1", "ls %s/out/python/*.whl >/dev/null 2>&1"

-- A row for each host: needs, a command that must be there, or finds, one that must succeed; build, before it is timed;
-- command, given the weights, the calls of a round and what is in `words`, which prints nanoseconds a call; beside: the
-- row that it is held against, the first where there is none; loads: the file that the host loads.
local HOSTS = {
  { name = "C", needs = "cc", build = "cc " .. LINK:format("bench/bindings/call.c") .. "call_c",
    command = folder .. "/call_c", words = "alone", loads = "out/lib/libbound_128_4.so" },
  { name = "C, key and value given", needs = "cc", command = folder .. "/call_c", words = "given" },
  { name = "C++17", needs = "c++", build = "c++ -std=c++17 " .. LINK:format("bench/bindings/call.cpp") .. "call_cpp",
    command = folder .. "/call_cpp", loads = "out/lib/libbound_128_4.so" },
  { name = "Python", finds = HAS_WHEEL:format(folder), command = PYTHON, words = "alone", loads = "out/python/*.whl",
    build = ("rm -rf %s/site && python3 -m zipfile -e %s/out/python/*.whl %s/site"):format(folder, folder, folder) },
  { name = "Python, key and value given", finds = HAS_WHEEL:format(folder), command = PYTHON, words = "given",
    beside = "C, key and value given" },
  { name = "LuaJIT", needs = "luajit", command = LUA .. "luajit bench/bindings/call.lua", words = "given",
    loads = "out/lua/bound_128_4/library.so" },
  { name = "LuaJIT, a result made", needs = "luajit", command = LUA .. "luajit bench/bindings/call.lua",
    words = "made" },
  { name = "Lua 5.4", needs = "lua5.4", command = LUA .. "lua5.4 bench/bindings/call.lua", words = "given",
    loads = "out/lua/bound_128_4/core.so" },
  { name = "Lua 5.4, a result made", needs = "lua5.4", command = LUA .. "lua5.4 bench/bindings/call.lua",
    words = "made" },
}

local function is_ready(host)
  if not compat.execute(host.finds or IS_THERE:format(host.needs)) then
    print(("skipped: %s, as there is no %s"):format(host.name, host.needs or "wheel: no python3 with numpy"))
    return false
  end
  assert(not host.build or compat.execute(host.build), host.build)
  return true
end

-- Nanoseconds a call, or nil where the host does not run.
local function time_of(host, weights)
  local output = compat.capture(("%s %s %d %s"):format(host.command, weights, CALLS, host.words or ""))
  local ns = tonumber(output)
  if not ns then print(("skipped: %s: %s"):format(host.name, output)) end
  return ns
end

-- KiB of the file that the host loads; nothing where another row says it.
local function size_of(host)
  if not host.loads then return "" end
  local path = compat.capture(("ls -L %s/%s"):format(folder, host.loads)):match("[^\n]*")
  return ("%.0f KiB"):format(#assert(fs.read(path)) / 1024)
end

local weights = folder .. "/bound.gap"
assert(compat.execute(("%s/out/bin/bound_128_4 pack --allow-random 1 --output %s >/dev/null 2>&1"):format(folder,
  weights)))
local ready, least = {}, {}
for _, host in ipairs(HOSTS) do
  if is_ready(host) then ready[#ready + 1] = host end
end
for _ = 1, ROUNDS do
  for _, host in ipairs(ready) do
    local ns = time_of(host, weights)
    if ns and ns < (least[host.name] or math.huge) then least[host.name] = ns end
  end
end
print(("%-28s %10s %10s %10s"):format("1x16 128/4", "ns a call", "beside C", "size"))
for _, host in ipairs(ready) do
  local ns, plain = least[host.name], least[host.beside or ready[1].name]
  if ns then print(("%-28s %10.0f %+10.0f %10s"):format(host.name, ns, ns - plain, size_of(host))) end
end
