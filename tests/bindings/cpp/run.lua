-- run.lua: the header for C++ with every compiler for C++ that is here: warnings are errors, the program runs: lua
-- run.lua FOLDER LIBRARY. LIBRARY is the one of cache_40_4, with the reader of weights in it. The last line is 'N
-- passed, N failed'; the program says what it found.
package.path = "generator/?.lua;tests/program/?.lua;" .. package.path

local compat = require "base.compat"
local files = require "program_files"

local folder, library = arg[1], arg[2]
local STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Werror"
local passed, failed, found = 0, 0, 0

local function weights(path)
  local list = {}
  for i, shape in ipairs { { "q", 40 }, { "k", 20 }, { "v", 20 }, { "o", 40 } } do
    local function number(at) return ((at * 37 + i) % 127 - 63) / 512 end
    list[#list + 1] = files.tensor("w_" .. shape[1] .. ".weight", "F32", { shape[2], 40 }, number)
    list[#list + 1] = files.tensor("w_" .. shape[1] .. ".bias", "F32", { shape[2] }, number)
  end
  files.write(path, list)
end

local function test(compiler)
  local program = folder .. "/cpp_" .. compiler:gsub("%W", "x")
  local output, code = compat.capture(("%s -std=c++17 -O2 %s -I out/include tests/bindings/cpp/cpp_test.cpp %s " ..
    "-Wl,-rpath,\"$PWD/%s\" -o %s && %s %s/weights.safetensors 2>&1"):format(compiler, STRICT, library,
    library:match("^(.*)/"), program, program, folder))
  local good, bad = output:match("(%d+) passed, (%d+) failed\n$")
  io.stdout:write(compiler, ": ", output)
  passed, failed = passed + tonumber(good or 0), failed + tonumber(bad or 1)
  if code ~= 0 and bad == "0" then failed = failed + 1 end
end

compat.execute("mkdir -p " .. folder)
weights(folder .. "/weights.safetensors")
for _, compiler in ipairs { "g++", "clang++" } do
  if compat.execute("command -v " .. compiler .. " >/dev/null 2>&1") then
    found = found + 1
    test(compiler)
  else
    print(("skipped: the header for C++ by %s, which is not here (Debian: %s)"):format(compiler,
      compiler == "g++" and "g++" or "clang"))
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
