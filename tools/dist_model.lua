-- dist_model.lua: the archive of one model, out/dist/NAME-VERSION.tar.gz: generated C, the runtime and two build files,
-- for a machine that has neither Lua nor ninja. `ninja dist-NAME` calls it, after the model was generated:
-- lua tools/dist_model.lua SPEC ISAS FOLDER.
package.path = "tools/?.lua;generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local Edges = require "build.edges"
local build_files = require "dist.build_files"
local compat = require "base.compat"
local contents = require "dist.contents"
local release = require("build.release")()
local fill = require "build.fill"
local fmt = require "base.fmt"
local fs = require "base.fs"
local install = require "build.install"
local spec = require "spec"
local test_modifiers = require "tests.build.modifiers"

local STAGE = "out/dist/stage"

local function must(command)
  local output, code = compat.capture(command)
  if code ~= 0 then error(output, 0) end
end

-- The licence, which a build elsewhere has with the source.
local function existing(path)
  return fs.exists(path) and path or "source/" .. path
end

local function copy_all(folder, copies)
  local commands = { "set -e" }
  for _, copy in ipairs(copies) do
    local to = folder .. "/" .. copy.to
    commands[#commands + 1] = ("mkdir -p %s && cp %s %s"):format(fmt.sh_quote(to:match("^(.*)/")),
      fmt.sh_quote(existing(copy.from)), fmt.sh_quote(to))
  end
  must(table.concat(commands, "\n"))
end

-- The files that are written and not copied.
local function write_own(folder, model, all, words)
  local license = assert(fs.read(existing("LICENSE")))
  words.license, words.underline = license:match("^[^\n]*"), ("="):rep(#words.name + 1 + #words.version)
  assert(fs.write_all(folder, { { "Makefile", build_files.make(all, words) },
    { "CMakeLists.txt", build_files.cmake(all, words) }, { "README", fill("dist/README.in", words) } }))
  assert(fs.write_all(folder .. "/install", install.movable_texts(model.name, { jansson = { libraries = "-ljansson" } },
    release)))
  Edges.write_table(folder .. "/" .. contents.TABLE, { { spec = model } })
  test_modifiers.write(folder .. "/" .. contents.TESTS)
end

local function main(path, isa_list, generated)
  local model, errors = spec.read(path)
  if not model then error(table.concat(errors, "\n"), 0) end
  local isas = {}
  for name in isa_list:gmatch("[^,]+") do isas[#isas + 1] = name end
  local full = ("%s-%s"):format(model.name, release.version)
  local folder, all = STAGE .. "/" .. full, contents.of(model, isas, generated)
  must("rm -rf " .. fmt.sh_quote(folder))
  copy_all(folder, all.copies)
  write_own(folder, model, all, { name = model.name, version = release.version, abi = tostring(release.abi),
    isas = table.concat(isas, ", "), summary = spec.line(model) })
  must(("sh tools/dist/tarball.sh %s %s out/dist/%s.tar.gz"):format(STAGE, full, full))
  print(("out/dist/%s.tar.gz"):format(full))
end

main(arg[1], arg[2], arg[3])
