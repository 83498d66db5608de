-- imports.lua: what the library's objects call of other libraries, by nm, beside the lists of what each part may call:
-- a call of a model can then neither allocate nor print, end the process or change it. Runs nothing.
-- lua imports.lua LIST, a file with the objects, one a line. What symbols they show is not looked at here.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"

local BYTES = "memcpy memmove memset memcmp bcmp strlen strcmp" -- clang calls bcmp where only equality is asked
local TEXT = "snprintf vsnprintf" -- into the caller's ga_error, where a call is refused
-- Exact or rounded once by IEEE 754, so that every C library gives the same bits; compilers call them where an
-- instruction set has none of its own. None of them has a state but errno.
local NUMBERS = "sqrt sqrtf fma fmaf floor floorf ceil ceilf"

local PARTS = {
  { pattern = "/gen/", allowed = BYTES .. " " .. NUMBERS },
  { pattern = "/runtime/base/cpu%.o$", allowed = "" },
  { pattern = "/runtime/base/arena%.o$", allowed = BYTES .. " aligned_alloc posix_memalign free madvise" },
  { pattern = "/runtime/threads/threads%.o$", allowed = "pthread_attr_init pthread_attr_destroy " ..
    "pthread_attr_setstacksize pthread_cond_init pthread_cond_destroy pthread_mutex_init pthread_mutex_destroy " ..
    "pthread_create pthread_join pthread_sigmask sigfillset sigdelset getpid" },
  { pattern = "/runtime/threads/fork_join%.o$", allowed = "pthread_mutex_lock pthread_mutex_unlock " ..
    "pthread_cond_wait pthread_cond_broadcast clock_gettime getpid sched_yield" },
  -- What reads and writes files may do much, but no more to the process than that.
  { pattern = "/runtime/weights/", refused = true },
  { pattern = "/runtime/packed/", refused = true },
  { pattern = "/runtime/base/atomic_file", refused = true },
  { pattern = "/runtime/base/on_linux", refused = true },
  { pattern = "/runtime/packing/", allowed = BYTES .. " " .. NUMBERS },
  { pattern = "/runtime/", allowed = BYTES .. " " .. TEXT },
}

local REFUSED = { "^_*exit$", "^_Exit$", "^abort$", "^__assert", "^v?f?printf$", "^puts?c?h?a?r?$", "^perror$", "^std",
  "locale", "^signal$", "^sigaction$", "^raise$", "^kill$", "^atexit$", "^fe%l+$", "^setenv$", "^putenv$", "^chdir$",
  "^umask$", "^fork$", "^system$", "^popen$", "^exec", "^setrlimit$", "^pthread_" }

-- What a compiler calls on its own: hardening, where its code lies, and atomics of AArch64.
local COMPILER = { "^_GLOBAL_OFFSET_TABLE_$", "^__stack_chk_fail$", "^__%l+_chk$", "^__aarch64_%l+%d+_[%l_]+$" }

local function matches(name, patterns)
  for _, pattern in ipairs(patterns) do
    if name:find(pattern) then return true end
  end
  return false
end

local function part_of(path)
  for _, part in ipairs(PARTS) do
    if path:find(part.pattern) then return part end
  end
end

local function words(text)
  local set = {}
  for word in text:gmatch("%S+") do set[word] = true end
  return set
end

local function may_call(part, name, prefix)
  if name:find("^ga_") or prefix and name:sub(1, #prefix) == prefix then return true end
  if part.refused then return not matches(name, REFUSED) end
  part.names = part.names or words(part.allowed)
  return part.names[name] or matches(name, COMPILER)
end

-- The model's name, with which its own symbols begin.
local function prefix_of(path)
  return path:match("/gen/.*%f[^/]([%w_]+)/[^/]*$")
end

local passed, failed = 0, 0

local function check(path, name)
  if may_call(part_of(path), name, prefix_of(path)) then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s: calls %s, which is not on its list in tests/libraries/imports.lua"):format(path, name))
  end
end

local function main(list)
  local output, code = compat.capture("xargs nm -A -u <" .. list)
  if code ~= 0 then
    print(output)
    failed = 1
  end
  for line in output:gmatch("[^\n]+") do
    local path, name = line:match("^([^:]*):%s*[Uw] ([^@%s]*)")
    if path then check(path, name) end
  end
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0 and passed > 0
end

os.exit(main(arg[1]) and 0 or 1)
