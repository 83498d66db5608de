-- machine.lua: what wisdom calls this machine: CPU, caches and compiler. Knows no wisdom.
local compat = require "base.compat"

local machine = {}

-- A file of the system, which is not remembered as an input: its time is always now. "" where there is none.
local function system_file(path)
  local file = io.open(path, "rb")
  local content = file and file:read("*a") or ""
  if file then file:close() end
  return content
end

local function field(info, name)
  return info:match("\n" .. name .. "%s*:%s*([^\n]*)")
end

-- The CPU by the text of /proc/cpuinfo: vendor, family and model, or an Arm core's implementer and part.
function machine.cpu(info)
  info = "\n" .. info
  local words = {}
  for _, name in ipairs({ "vendor_id", "cpu family", "model", "CPU implementer", "CPU part" }) do
    words[#words + 1] = field(info, name)
  end
  return #words > 0 and table.concat(words, " ") or "unknown"
end

local UNITS = { [""] = 1, K = 1024, M = 1024 * 1024 }

-- Bytes of the data cache of a level, as text; "0" where the system does not say.
local function cache(level)
  for index = 0, 9 do
    local folder = ("/sys/devices/system/cpu/cpu0/cache/index%d/"):format(index)
    local size, unit = system_file(folder .. "size"):match("^(%d+)([KM]?)")
    if size and system_file(folder .. "level"):match("%d+") == level and
      not system_file(folder .. "type"):find("Instruction") then
      return ("%d"):format(size * UNITS[unit])
    end
  end
  return "0"
end

-- The compiler and its major version, such as "gcc 12". cc: its command.
function machine.compiler(cc)
  local macros = compat.capture(cc .. " -dM -E -x c /dev/null 2>/dev/null")
  local clang, gcc = macros:match("__clang_major__ (%d+)"), macros:match("__GNUC__ (%d+)")
  return clang and "clang " .. clang or gcc and "gcc " .. gcc or "unknown"
end

-- What wisdom's keys say of this machine: { cpu, l1d, l2, compiler }.
function machine.here(cc)
  return { cpu = machine.cpu(system_file("/proc/cpuinfo")), l1d = cache("1"), l2 = cache("2"),
    compiler = machine.compiler(cc) }
end

return machine
