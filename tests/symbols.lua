-- symbols.lua: checks what libraries show and what they call: lua symbols.lua LIBRARY...
-- lib<name>.a and lib<name>.so define no external name but ga_* and <name>_*, keep nothing that can be written to, run
-- nothing when they are loaded, and call nothing of the C library but what stands here. Reads nm and readelf; links
-- nothing.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"

local function set(words)
  local names = {}
  for word in words:gmatch("%S+") do names[word] = true end
  return names
end

-- What compilers and linkers write calls to on their own, or a hardened build in place of the plain function.
local OF_COMPILERS = { "^_GLOBAL_OFFSET_TABLE_$", "^_ITM_", "^__cxa_finalize$", "^__gmon_start__$",
  "^__stack_chk_fail$", "^__mem%a+_chk$", "^__v?snprintf_chk$", "^_+mcount$", "^__gcov_", "^__cpu_" }

-- Bytes and text in the caller's memory, and arithmetic: all that a call may come to, and all that generated code may.
local PLAIN = set [[ memcpy memmove memset memcmp bcmp strcmp strlen snprintf vsnprintf
  exp log sqrt sqrtf sin cos sincos pow ]]

-- What parts of the runtime need beside that. A part that allocates, waits or asks the system is one of these.
local MORE = {
  arena = set "aligned_alloc posix_memalign madvise free",
  whole_file = set [[ malloc free open open64 write fsync close rename unlink getpid strrchr __errno_location
    __xpg_strerror_r ]],
  pack_file = set "open open64 fstat fstat64 pread pread64 close",
  pack_read = set "pread pread64 mmap mmap64 munmap sysconf __errno_location __xpg_strerror_r",
  threads = set [[ __sched_cpucount sched_getaffinity sysconf getpid sigfillset sigdelset pthread_sigmask
    pthread_attr_init pthread_attr_setstacksize pthread_attr_destroy pthread_create pthread_join pthread_mutex_init
    pthread_mutex_destroy pthread_cond_init pthread_cond_destroy ]],
  threads_rounds = set [[ clock_gettime getpid pthread_cond_broadcast pthread_cond_wait pthread_mutex_lock
    pthread_mutex_unlock ]],
}

-- What no library has any business with, files read or not: the process's end, its output, its signals, its locale, its
-- environment, its other threads.
local NEVER = set [[ abort exit _exit quick_exit atexit __assert_fail raise kill
  printf fprintf vprintf vfprintf puts putchar fputs perror stdout stderr __printf_chk __fprintf_chk __vfprintf_chk
  signal sigaction sigprocmask alarm setitimer setlocale uselocale setenv putenv unsetenv getenv chdir umask fork
  pthread_atfork pthread_kill fesetround fesetenv feholdexcept feenableexcept dlopen system popen rand srand ]]

local passed, failed = 0, 0

local function check(ok, path, message, ...)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(path .. ": " .. message:format(...))
  end
end

local function is_of_compilers(name)
  for _, pattern in ipairs(OF_COMPILERS) do
    if name:find(pattern) then return true end
  end
end

-- Lines of a command about a library; an error of the command is one.
local function lines_of(command, path)
  local output, code = compat.capture(command .. " " .. fmt.sh_quote(path))
  check(code == 0 and output ~= "", path, "%s: exit %d: %s", command, code, output)
  return output:gmatch("[^\n]+")
end

-- The names nm prints, as { name, type, member }; of an archive the member without ".o", of a shared object nil.
local function symbols(path, options)
  local list = {}
  for line in lines_of("nm -A -g " .. options, path) do
    local place, kind, name = line:match("^(.-):?[%x ]* (%a) ([^%s@]+)")
    if name then list[#list + 1] = { name = name, kind = kind, member = place:match(":([^:]*)%.o$") } end
  end
  return list
end

local function is_own(name, model)
  return name:find("^ga_") ~= nil or (model ~= nil and name:sub(1, #model + 1) == model .. "_")
end

-- -- Names that are defined -----------------------------------------------------------------------------------------

-- T code, D data that the loader makes read-only (see check_sections), R constants; no C (common), V or W (shared with
-- whoever else has the name), i (chosen by code that runs when loaded), u.
local function check_defined(path, list, model)
  local count = 0
  for _, symbol in ipairs(list) do
    if symbol.kind ~= "U" and symbol.kind ~= "w" then
      count = count + 1
      check(is_own(symbol.name, model), path, "defines %s, whose name is not its own", symbol.name)
      check(symbol.kind:find("^[TDR]$") ~= nil, path, "%s is of nm's type %s", symbol.name, symbol.kind)
    end
  end
  check(count > 0, path, "defines nothing")
end

-- Nothing that can be written to once it is relocated, for one thread or all, and nothing that runs by itself.
local function check_sections(path)
  for line in lines_of("readelf -SW", path) do
    local name, kind, size, flags = line:match("%]%s+(%.%S+)%s+(%S+)%s+%x+%s+%x+%s+(%x+)%s+%x+%s+(%u*)")
    if name and tonumber(size, 16) > 0 and not kind:find("^RELA?$") then
      check(not flags:find("W") or name:find("^%.data%.rel%.ro") ~= nil, path, "%s of %s bytes can be written to", name,
        size)
      check(not name:find("^%.init") and not name:find("^%.ctors") and not name:find("^%.fini"), path,
        "%s of %s bytes runs on its own", name, size)
    end
  end
end

-- -- Names that are called ------------------------------------------------------------------------------------------

local function may_call(symbol, model)
  local name = symbol.name
  if is_own(name, model) or is_of_compilers(name) then return true end
  if not model then return not NEVER[name] end
  return PLAIN[name] or (MORE[symbol.member] ~= nil and MORE[symbol.member][name])
end

local function check_calls(path, list, model)
  for _, symbol in ipairs(list) do
    if symbol.kind == "U" then
      check(may_call(symbol, model), path, "%s calls %s, which it may not (tests/symbols.lua)", symbol.member,
        symbol.name)
    end
  end
end

-- -- Libraries ------------------------------------------------------------------------------------------------------

-- The runtime's own archives: not a model's.
local SHARED_PARTS = set "ga_weights ga_program"

local function check_archive(path, model)
  local list = symbols(path, "")
  check_defined(path, list, model)
  if path:find("libga_program") then return end -- a program prints
  check_calls(path, list, model)
  check_sections(path)
end

local function check_shared(path, model)
  check_defined(path, symbols(path, "-D --defined-only"), model)
  for line in lines_of("readelf -dlW", path) do
    check(not line:find("TEXTREL"), path, "its code is written to when it is loaded")
    check(not line:find("GNU_STACK.*RWE"), path, "wants a stack that can be executed")
  end
end

for _, path in ipairs(arg) do
  local name, suffix = path:match("lib([%w_]+)%.(%a+)")
  local model = not SHARED_PARTS[name] and name or nil
  if suffix == "a" then check_archive(path, model) else check_shared(path, model) end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
