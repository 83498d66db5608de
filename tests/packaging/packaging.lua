-- packaging.lua: words that the tests of packages share: commands in a folder, tools that may be missing, and a build
-- of a small model. The model has the name of that of examples/, whose programs are its users. Holds no fact.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"

local packaging = { fact = fact, MODEL = "mha_512_8", lua = arg[1], cc = arg[2] }

packaging.OPTIONS = "--d-model 16 --heads 4 --name mha_512_8 --isa scalar CFLAGS=-O0"

-- Runs sh words in a folder; returns what was said, and the exit code.
function packaging.run(where, words)
  return compat.capture(("cd %s && LUA=%s CC=%s && export LUA CC && %s"):format(fmt.sh_quote(where), packaging.lua,
    fmt.sh_quote(packaging.cc), words))
end

-- The same, which must succeed.
function packaging.succeeds(where, words)
  local said, code = packaging.run(where, words)
  if code ~= 0 then error(("exit %d: %s\n%s"):format(code, words, said), 2) end
  return said
end

-- Whether a command is there; says what is skipped without it.
function packaging.has(command, what, package)
  if compat.execute(("command -v %s >/dev/null 2>&1"):format(command)) then return true end
  print(("skipped: %s: no %s (Debian: %s)"):format(what, command, package))
  return false
end

-- The source folder, where a build elsewhere has links to it.
function packaging.source()
  return (compat.capture("cd -P \"$(dirname \"$(readlink -f configure)\")\" && pwd"):gsub("\n", ""))
end

-- An empty folder for a test, by its absolute path.
function packaging.folder(name)
  return (compat.capture(("cd %s && pwd"):format(fmt.sh_quote(fact.folder(name)))):gsub("\n", "")) .. "/"
end

-- Configures a build of the model in the folder `build` of another. more: options.
function packaging.configure(folder, more)
  packaging.succeeds(folder, ("mkdir build && cd build && %s %s %s"):format(
    fmt.sh_quote(packaging.source() .. "/configure"), packaging.OPTIONS, more or ""))
end

-- The files and links below a folder, in order.
function packaging.tree(folder)
  local list = {}
  for path in packaging.succeeds(folder, "find . ! -type d | LC_ALL=C sort"):gmatch("[^\n]+") do
    list[#list + 1] = path:sub(3)
  end
  return list
end

return packaging
