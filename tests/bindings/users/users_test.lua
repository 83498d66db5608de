-- users_test.lua: examples/layer.lua, examples/embed.lua, examples/layer.cpp and the rockspecs as users run them: lua
-- users_test.lua FOLDER CC HOST... FOLDER has what configure and ninja give of mha_512_8 and encoder; a HOST is a Lua.
-- What is not installed is skipped aloud.
package.path = "generator/?.lua;tests/program/?.lua;" .. package.path

local bert_tokenizer = dofile("tests/examples/bert_tokenizer.lua")
local compat = require "base.compat"
local encoder_weights = dofile("tests/examples/encoder_weights.lua")
local fs = require "base.fs"

local folder, cc = arg[1], arg[2]
local ROCKS, WEIGHTS = folder .. "/rocks", folder .. "/users.gap"
local passed, failed = 0, 0
-- The sums that packed.c's test takes from the program begin every output.
local first, first_text

local function check(truth, name, output)
  if truth then passed = passed + 1 else
    failed = failed + 1
    print(("FAIL %s: %s"):format(name, tostring(output)))
  end
end

local function run(name, command, ...)
  local output, code = compat.capture(command)
  check(code == 0, name, output)
  for _, words in ipairs { ... } do check(output:find(words, 1, true), name, output) end
  first = first or output:match("^[^\n]*")
  check(output:sub(1, #first) == first, name .. ": another host's numbers", output)
end

local function paths(lua, c)
  return ("LUA_PATH='%s/?.lua' LUA_CPATH='%s/?.so' "):format(lua, c)
end

local function has(command, package, what)
  if compat.execute(("command -v %s >/dev/null 2>&1"):format(command)) then return true end
  print(("skipped: %s: there is no %s (Debian: %s)"):format(what, command, package))
  return false
end

local LUA_SAYS = { "rows past a length are zeros: 0\n", "x: index 10241 is outside 1..10240\n" }

local function lua_example(host, lua, c)
  run("examples/layer.lua by " .. host .. " from " .. lua, paths(lua, c) .. host .. " examples/layer.lua " .. WEIGHTS,
    compat.unpack(LUA_SAYS))
end

-- -- Texts ----------------------------------------------------------------------------------------------------------

local TEXTS, ENCODER = folder .. "/users", folder .. "/users/encoder.safetensors"
-- The third text has the tokens of the question but for its last one, which the vocabulary lacks.
local TEXT_SAYS = { "%d%.%d%d%d  the cat sat on the mat\n%-?%d%.%d%d%d  a dog\n0%.%d%d%d  the cats\n",
  "  2  %[CLS%]  from 0 to 0\n  9  the    from 0 to 3\n  5  cat    from 4 to 7\n 11  ##s    from 7 to 8\n",
  "\n%[CLS%] the cats %[UNK%] %[SEP%]\n$" }

local function text_example(host, lua, c)
  local output, code = compat.capture(paths(lua, c) .. host .. " examples/embed.lua " .. ENCODER)
  local name = "examples/embed.lua by " .. host .. " from " .. lua
  check(code == 0, name, output)
  for _, pattern in ipairs(TEXT_SAYS) do check(output:find(pattern), name, output) end
  first_text = first_text or output
  check(output == first_text, name .. ": another host's numbers", output)
end

-- Whether there is text in this build; makes what embed.lua reads.
local function has_text()
  local info, code = compat.capture(folder .. "/bin/encoder info --json")
  check(code == 0, "info of encoder", info)
  assert(fs.write_if_changed(TEXTS .. "/tokenizer.json", bert_tokenizer()) ~= nil)
  encoder_weights(ENCODER, info)
  if fs.exists(folder .. "/lua/genattn/text_library.so") then return true end
  print("skipped: examples/embed.lua: ./configure found no utf8proc or no PCRE2 (Debian: libutf8proc-dev libpcre2-dev)")
end

local function cpp_example(compiler, package)
  if not has(compiler, package, "examples/layer.cpp") then return end
  run("examples/layer.cpp by " .. compiler, ("%s -std=c++17 -Wall -Wextra -Wpedantic -Werror -I%s/include " ..
    "-Iout/include examples/layer.cpp %s/lib/libmha_512_8.a -pthread -o %s/layer_cpp && %s/layer_cpp %s"):format(
    compiler, folder, folder, folder, folder, WEIGHTS), "over two threads: the same bits\n",
    "expected 1 x q_len rows of 512")
end

-- -- The rockspec ---------------------------------------------------------------------------------------------------

local function rockspec(model)
  for _, name in ipairs(assert(fs.list(folder .. "/lua"))) do
    if name:find("^" .. model .. "%-.*%.rockspec$") then return folder .. "/lua/" .. name end
  end
end

-- What LuaRocks would do, by hand.
local function install_by_hand(path)
  dofile(path)
  local build = rawget(_G, "build") -- which the file sets
  local variables = { CC = cc, CFLAGS = "-O2", LUA_INCDIR = "/usr/include/lua5.4" }
  local output, code = compat.capture((build.build_command:gsub("%$%(([%w_]+)%)", variables)))
  check(code == 0, "the rockspec's build command", output)
  for kind, ending in pairs { lua = ".lua", lib = ".so" } do
    for module, from in pairs(build.install[kind]) do
      local to = ("%s/%s/%s%s"):format(ROCKS, kind, module:gsub("%.", "/"), ending)
      compat.execute(("mkdir -p %s && cp %s %s"):format(to:match("^(.*)/"), from, to))
    end
  end
  return ROCKS .. "/lua", ROCKS .. "/lib"
end

local function rock(host, model, example)
  local path = rockspec(model)
  check(path, "a rockspec of " .. model, "none")
  if not path then return end
  compat.execute("rm -rf " .. ROCKS)
  example(host, install_by_hand(path))
  if has("luarocks", "luarocks", "the rockspec by LuaRocks itself; its commands were run by hand") then
    local output, code = compat.capture(("luarocks --lua-version 5.4 --tree %s make --deps-mode none %s 2>&1"):format(
      ROCKS, path))
    check(code == 0, "luarocks make", output)
    example(host, ROCKS .. "/share/lua/5.4", ROCKS .. "/lib/lua/5.4")
  end
end

assert(compat.execute(("%s/bin/mha_512_8 pack --allow-random 1 --output %s >/dev/null 2>&1"):format(folder, WEIGHTS)))
cpp_example("g++", "g++")
cpp_example("clang++", "clang")
local EXAMPLES = { { "mha_512_8", lua_example }, has_text() and { "encoder", text_example } or nil }
for i = 3, #arg do
  for _, one in ipairs(EXAMPLES) do
    one[2](arg[i], folder .. "/lua", folder .. "/lua")
    if arg[i]:find("lua5.4", 1, true) then rock(arg[i], one[1], one[2]) end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
