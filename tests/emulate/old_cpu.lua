-- old_cpu.lua: runs a test binary on a CPU that is older than every vector instruction set but the first:
-- lua old_cpu.lua QEMU ISAS COMMAND. Every fact must hold, and the sets that such a CPU lacks must have been left out.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"

-- Of 2008, without AVX; and x86-64 as it began.
local CPUS = { "Nehalem", "Opteron_G1" }

local passed, failed = 0, 0

local function check(ok, ...)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(...)
  end
end

local function check_cpu(qemu, isas, command, cpu)
  local output, code = compat.capture(("%s -cpu %s %s"):format(qemu, cpu, command))
  check(code == 0, cpu, "exit " .. code, output)
  check(output:find("%d+ checks, 0 failed"), cpu, output)
  for isa in isas:gmatch("[^,]+") do
    if isa ~= "scalar" then check(output:find("skipped: " .. isa, 1, true), cpu, isa .. " was not left out") end
  end
end

for _, cpu in ipairs(CPUS) do check_cpu(arg[1], arg[2], arg[3], cpu) end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
