-- run.lua: time per call of a small layer from each host beside the plain C call: lua run.lua FOLDER. FOLDER is a build
-- of bench/bindings/layer.lua with --lua. A host that is not there is skipped aloud. Hosts take turns; each is told by
-- the least of its medians.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"

local folder = arg[1]
local ROUNDS, CALLS = 5, 2000
local LUA = ("LUA_PATH='%s/out/lua/?.lua' LUA_CPATH='%s/out/lua/?.so' "):format(folder, folder)
local LINK = ("-O2 -I %s/out/include %%s %s/out/lib/libbound_128_4.a -lm -pthread -o %s/"):format(folder, folder,
  folder)

-- A row for each host: needs, a command that must be there; build, before it is timed; command, given the weights, the
-- calls of a round and what is in `words`. It prints nanoseconds a call.
local HOSTS = {
  { name = "C", needs = "cc", build = "cc " .. LINK:format("bench/bindings/call.c") .. "call_c",
    command = folder .. "/call_c" },
  { name = "C++17", needs = "c++", build = "c++ -std=c++17 " .. LINK:format("bench/bindings/call.cpp") .. "call_cpp",
    command = folder .. "/call_cpp" },
  { name = "LuaJIT", needs = "luajit", command = LUA .. "luajit bench/bindings/call.lua", words = "given" },
  { name = "LuaJIT, a result made", needs = "luajit", command = LUA .. "luajit bench/bindings/call.lua",
    words = "made" },
  { name = "Lua 5.4", needs = "lua5.4", command = LUA .. "lua5.4 bench/bindings/call.lua", words = "given" },
  { name = "Lua 5.4, a result made", needs = "lua5.4", command = LUA .. "lua5.4 bench/bindings/call.lua",
    words = "made" },
}

local function is_ready(host)
  if not compat.execute("command -v " .. host.needs .. " >/dev/null 2>&1") then
    print(("skipped: %s, as there is no %s"):format(host.name, host.needs))
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
print(("%-24s %10s %10s"):format("1x16 128/4", "ns a call", "beside C"))
for _, host in ipairs(ready) do
  local ns = least[host.name]
  if ns then print(("%-24s %10.0f %+10.0f"):format(host.name, ns, ns - least[ready[1].name])) end
end
