-- model.lua: what llvm-mca says of the inner loops of products on Arm, for cores that this machine need not have: a
-- model, not a measurement. Prints the table of docs/arm.md. From the environment: CLANG, LLVM_MCA; without them the
-- newest ones are taken. Skipped, aloud, if one of them or the C library's headers of AArch64 are missing.
package.path = "generator/?.lua;generator/?/init.lua;bench/arm/?.lua;" .. package.path

local compat = require "base.compat"
local emit = require "emit"
local family = require "plan.family"
local files = require "plan.files"
local fs = require "base.fs"
local loops = require "loops"
local multiply = require "formats.vocabulary.multiplied"
local spec = require "spec"

local FOLDER, ITERATIONS = "out/arm", 200
local OLDEST, NEWEST = 17, 30 -- of LLVM: older ones have no model of Neoverse V2
local INCLUDES = "-I runtime/include/genattn -I runtime/base -I runtime/model -I runtime/call"
local HEADERS = "/usr/aarch64-linux-gnu/include"
local SKIPPED = "skipped: no clang and llvm-mca of LLVM %d or later (Debian: clang-%d llvm-%d), or no %s " ..
  "(libc6-dev-arm64-cross)"

-- Cores, and the variants that they run, best first.
local CORES = {
  { name = "neoverse-v2", sets = "neonv86 neon" }, { name = "neoverse-n1", sets = "neonv84 neon" },
  { name = "apple-m1", sets = "neonv84 neon" }, { name = "cortex-a72", sets = "neon" },
}
local FORMATS = {
  { "f32", {} }, { "bf16", { dtype = "bf16" } }, { "i16", { dtype = "i16" } }, { "int8", { dtype = "int8" } },
  { "int8 weights", { weights_dtype = "int8" } }, { "int4 weights", { weights_dtype = "int4" } },
}

-- -- Tools ------------------------------------------------------------------------------------------------------------

local function output_of(format, ...)
  local command = format:format(...)
  local output, code = compat.capture(command)
  if code ~= 0 then error(("%s ends with %d:\n%s"):format(command, code, output), 0) end
  return output
end

-- The newest tool of that name that is installed, or what the environment says; nil for none.
local function tool(name, variable)
  if os.getenv(variable) then return os.getenv(variable) end
  for version = NEWEST, OLDEST, -1 do
    local found = ("%s-%d"):format(name, version)
    if compat.execute(("command -v %s >/dev/null"):format(found)) then return found end
  end
end

-- Cycles that a core takes for the instructions, time after time, and those that its units need at least.
local function cycles_of(mca, core, body)
  local path = FOLDER .. "/loop.s"
  assert(fs.write_if_changed(path, table.concat(body, "\n") .. "\n") ~= nil)
  local said = output_of("%s --mtriple=aarch64-linux-gnu -mcpu=%s -mattr=+dotprod,+i8mm,+bf16 -iterations=%d %s", mca,
    core, ITERATIONS, path)
  local cycles, least = said:match("Total Cycles:%s+(%d+)"), said:match("Block RThroughput:%s+([%d.]+)")
  return tonumber(cycles) / ITERATIONS, tonumber(least)
end

-- -- Loops ------------------------------------------------------------------------------------------------------------

local function write(s)
  local list = {}
  for i, file in ipairs(emit.files(s, { "neon" })) do list[i] = { file.path, file.text } end
  assert(fs.write_all(FOLDER, list))
end

-- The assembler text of a product's kernels by a variant.
local function compiled(clang, s, p, f)
  return output_of("%s --target=aarch64-linux-gnu -std=c11 -ffp-contract=off -O2 -S -o - %s %s %s/%s", clang,
    table.concat(multiply.all_need(s, p.isa, "cflags"), " "), INCLUDES, FOLDER, f.group.file)
end

-- The loops of a format: of each variant { format, set, tile, body, parts }; parts: that a number of a row has.
local function loops_of(clang, format, fields)
  local raw, list = { name = "arm_" .. format:gsub(" ", "_"), d_model = 512, n_heads = 8, seq_len = "1..128" }, {}
  for key, value in pairs(fields) do raw[key] = value end
  local s = assert(spec.from_fields(raw))
  write(s)
  for i, p in ipairs(files.plans(s, { "neon" })) do
    local f = p.out
    list[i] = { format = format, set = p.isa.name, tile = ("%dx%d"):format(f.mr, f.columns),
      body = loops.inner(compiled(clang, s, p, f), family.kernel(f, f.mr, f.nv).symbol),
      parts = f.is_digits and #f.X.groups.digits.parts or 1 }
  end
  return list
end

-- -- The table --------------------------------------------------------------------------------------------------------

-- The best of the variants that a core runs.
local function of_core(core, list)
  for set in core.sets:gmatch("%S+") do
    for _, loop in ipairs(list) do
      if loop.set == set then return loop end
    end
  end
end

local function row(mca, core, loop)
  local multiply_adds, products, names = loops.multiply_adds(loop.body)
  local cycles = cycles_of(mca, core.name, loop.body)
  local _, least = cycles_of(mca, core.name, multiply_adds)
  return ("| %s | %s | %s | %s | %s | %.1f | %.1f | %.0f %% | %d |"):format(loop.format, core.name, loop.set,
    loop.tile, table.concat(names, ", "), cycles, products / loop.parts / cycles, 100 * least / cycles,
    loops.spills(loop.body))
end

local function main()
  local clang, mca = tool("clang", "CLANG"), tool("llvm-mca", "LLVM_MCA")
  if not clang or not mca or not fs.exists(HEADERS) then
    return print(SKIPPED:format(OLDEST, OLDEST, OLDEST, HEADERS))
  end
  print(("%s; llvm-mca of %s"):format(output_of("%s --version", clang):match("[^\n]*"),
    output_of("%s --version", mca):match("LLVM version [%w.]+")))
  print("| format | core | variant | tile | by | cycles a turn | multiply-adds a cycle | of the bound | spills |")
  print("|---|---|---|---|---|---|---|---|---|")
  for _, format in ipairs(FORMATS) do
    local list = loops_of(clang, format[1], format[2])
    for _, core in ipairs(CORES) do print(row(mca, core, of_core(core, list))) end
  end
end

main()
