-- objects_test.lua: that frames.lua and imports.lua find what they are there to find: a small C file for each.
-- lua objects_test.lua LUA CC, a gcc. Writes only into out/probe.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local lua, cc = arg[1], arg[2]
local OBJECT, LIST = "out/probe/runtime/sample.o", "out/probe/sample.list"

local CASES = {
  { name = "a small frame passes", source = "int one(int x);\nint one(int x) { return x + 1; }\n" },
  { name = "a large frame", expect = "large .*: a frame of 5%d%d%d bytes; at most 4096 are allowed",
    source = "void use(char *);\nvoid large(void);\nvoid large(void) { char a[5000]; use(a); }\n" },
  { name = "an array of no fixed length", expect = "loose .*: its frame has no bound",
    source = "void use(char *);\nvoid loose(int n);\nvoid loose(int n) { char a[n]; use(a); }\n" },
  { name = "alloca", expect = "loose .*: its frame has no bound",
    source = "void use(char *);\nvoid loose(int n);\nvoid loose(int n) { use(__builtin_alloca(n)); }\n" },
  { name = "recursion", expect = "calls itself, through",
    source = "int a(int x);\nint b(int x);\n" ..
    "__attribute__((noipa)) int a(int x) { return x ? b(x - 1) + 1 : 0; }\n" ..
    "__attribute__((noipa)) int b(int x) { return x ? a(x / 2) * 3 : 1; }\n" },
  { name = "memory and printing", script = "imports", expect = "calls malloc.*calls puts",
    source = "#include <stdio.h>\n#include <stdlib.h>\nvoid loud(void);\nvoid loud(void) { puts(malloc(3)); }\n" },
  { name = "its own memory and other parts", script = "imports",
    source = "#include <string.h>\nvoid ga_b(char *);\nvoid ga_a(char *, int);\n" ..
    "void ga_a(char *p, int n) { memset(p, 1, (size_t)n); ga_b(p); }\n" },
  { name = "a file that was not measured", flag = "", expect = "the compiler wrote no sample.ci beside it",
    source = "int one(int x);\nint one(int x) { return x + 1; }\n" },
}

local passed, failed = 0, 0

local function check(case)
  os.remove("out/probe/runtime/sample.ci")
  assert(fs.write_if_changed("out/probe/runtime/sample.c", case.source) ~= nil)
  assert(fs.write_if_changed(LIST, OBJECT .. "\n") ~= nil)
  local built, made = compat.capture(("%s -O2 %s -c -o %s out/probe/runtime/sample.c"):format(cc,
    case.flag or "-fcallgraph-info=su", OBJECT))
  local output, code = compat.capture(("%s tests/libraries/%s.lua %s"):format(lua, case.script or "frames", LIST))
  local found = case.expect == nil or output:find(case.expect) ~= nil
  if made == 0 and found and (code == 0) == (case.expect == nil) then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s: exit %d: %s%s"):format(case.name, code, built, output))
  end
end

for _, case in ipairs(CASES) do check(case) end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
