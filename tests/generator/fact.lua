-- fact.lua: the few words the generator's tests are written in: facts that hold or not, counted and reported.
-- Finds no tests and knows no module; run.lua and the *_test.lua files do.
package.path = "generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local fact = {}

local passed, failed = 0, 0

-- The hand-written build.ninja, which a build outside the source includes in its own.
fact.build_file = io.open("source/build.ninja") and "source/build.ninja" or "build.ninja"

-- Runs a test; an error in it is a failure that names the fact.
function fact.holds(name, test)
  local ok, why = xpcall(test, debug.traceback)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAIL %s: %s"):format(name, why))
  end
end

local function shown(value)
  return type(value) == "string" and ("%q"):format(value) or tostring(value)
end

function fact.equal(got, expected)
  if got ~= expected then error(("got %s\nexpected %s"):format(shown(got), shown(expected)), 2) end
end

function fact.lists_equal(got, expected)
  fact.equal(table.concat(got, "\n"), table.concat(expected, "\n"))
end

function fact.contains(whole, part)
  if type(whole) ~= "string" or not whole:find(part, 1, true) then
    error(("got %s\nexpected it to contain %s"):format(shown(whole), shown(part)), 2)
  end
end

-- The call raises an error whose message contains `part`.
function fact.raises(part, f, ...)
  local ok, why = pcall(f, ...)
  if ok then error("no error, expected one with " .. shown(part), 2) end
  fact.contains(why, part)
end

-- Calls f and returns its first two results; an error where it takes more steps of Lua than a slow machine has in a
-- second. They are counted, as seconds also say what else the machine does. LuaJIT calls no hook in what it compiled.
local BATCH, MOST_STEPS = 100000, 60e6

function fact.within_steps(f, ...)
  local is_jit, jit = pcall(require, "jit")
  if is_jit then jit.off() end
  local steps = 0
  debug.sethook(function()
    steps = steps + BATCH
    if steps > MOST_STEPS then error(("more than %d steps of Lua"):format(MOST_STEPS)) end
  end, "", BATCH)
  local ok, first, second = pcall(f, ...)
  debug.sethook()
  if is_jit then jit.on() end
  if not ok then error(first, 2) end
  return first, second
end

local SOURCES = { "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "bench", "bindings", "configure",
  "demo", "docs", "examples", "generator", "program", "runtime", "specs", "templates", "tests", "text", "tools" }

-- Makes a folder, whose path sh takes as it is written, one to configure in: links to this source, and copies of the
-- two ninja files.
function fact.link_source(folder)
  local commands = { "set -e", "mkdir -p " .. folder }
  for _, name in ipairs(SOURCES) do commands[#commands + 1] = ("ln -s \"$PWD/%s\" %s/%s"):format(name, folder, name) end
  commands[#commands + 1] = ("cp %s %s/build.ninja && cp rules.ninja %s"):format(fact.build_file, folder, folder)
  assert(require("base.compat").execute(table.concat(commands, "\n")))
end

-- A new, empty folder under out/, with a slash at its end.
function fact.folder(name)
  local path = "out/test/generator/" .. name .. "/"
  assert(require("base.compat").execute("rm -rf " .. path .. " && mkdir -p " .. path))
  return path
end

-- Writes a file into a folder that is there. Unlike base.fs it starts no process: that takes longer than most facts.
function fact.write(path, content)
  local file = assert(io.open(path, "wb"))
  assert(file:write(content))
  assert(file:close())
end

-- Prints the counts and ends the script.
function fact.finish()
  print(("%d passed, %d failed"):format(passed, failed))
  os.exit(failed == 0 and passed > 0)
end

return fact
