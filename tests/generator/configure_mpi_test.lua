-- configure_mpi_test.lua: configure --with-mpi and --with-hwloc: what programs link by them, and what is said where it
-- is not there. No program is compiled.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_mpi")

fact.link_source(folder)

local function configure(words)
  return compat.capture(("cd %s && LUA=%s ./configure --quiet --d-model 8 --heads 2 --isa scalar %s"):format(folder,
    lua, words))
end

-- Value of a variable in config.ninja.
local function setting(name)
  return assert(fs.read(folder .. "out/config.ninja")):match("\n" .. name .. " = ([^\n]*)")
end

-- The inputs of the program's edge.
local function inputs()
  return compat.capture(("ninja -C %s -t query out/bin/mha_8_2"):format(folder))
end

fact.holds("MPI is the one whose compiler MPICC names", function()
  local said, code = configure("--with-mpi MPICC=false")
  fact.equal(said, "./configure: --with-mpi: no MPI links by the flags that 'false -show' prints " ..
    "(Debian: libmpich-dev or libopenmpi-dev); see out/config.log\n")
  fact.equal(code, 1)
  assert(fs.write_if_changed(folder .. "mpi.h", "int mpi;\n"))
  assert(fs.write_if_changed(folder .. "mpicc", "#!/bin/sh\necho cc -I. -DMPI=1 -Wl,-O1 -lm\n"))
  said, code = configure("--with-mpi 'MPICC=sh ./mpicc'")
  fact.equal(code == 0 and "" or said, "")
  fact.equal(setting("mpi_cflags"), "-I. -DMPI=1")
  fact.equal(setting("mpi_libraries"), "-Wl,-O1 -lm")
  fact.contains(inputs(), "out/obj/program/mpi/mpi_ranks.o")
  assert(os.remove(folder .. "mpi.h") and os.remove(folder .. "mpicc"))
end)

fact.holds("hwloc is linked if configure was asked for it, and is then not left out in silence", function()
  assert(fs.write_if_changed(folder .. "hwloc.h", "#error \"no hwloc\"\n"))
  local said, code = configure("--with-hwloc CPPFLAGS=-I.")
  fact.equal(said, "./configure: --with-hwloc: hwloc (Debian: libhwloc-dev) does not link; see out/config.log\n")
  fact.equal(code, 1)
  assert(fs.write_if_changed(folder .. "hwloc.h", "int hwloc;\n"))
  assert(fs.write_if_changed(folder .. "libhwloc.so", "INPUT(-lm)\n"))
  said, code = configure("--with-hwloc CPPFLAGS=-I. LDFLAGS=-L.")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(setting("hwloc_libraries"), "-lhwloc")
  fact.contains(inputs(), "out/obj/program/hwloc/placement.o")
  fact.equal(configure(""), "")
  fact.equal(setting("hwloc_libraries"), "")
  assert(not inputs():find("program/hwloc", 1, true))
end)

fact.finish()
