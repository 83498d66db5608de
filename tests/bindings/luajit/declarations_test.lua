-- declarations_test.lua: what LuaJIT's FFI makes of the declarations against what a C compiler says of the headers:
-- sizes, offsets and values: luajit declarations_test.lua LUA CC. Needs no library. The last line is 'N passed, N
-- failed'.
local ffi = require "ffi"

local lua, cc = arg[1], arg[2]

local function output_of(command)
  local pipe = assert(io.popen(command))
  local output = pipe:read("*a")
  assert(pipe:close(), command)
  return output
end

-- What the compiler says, a line each: "size STRUCT N", "field STRUCT.FIELD SIZE OFFSET", "value NAME N".
local function said()
  local program = os.tmpname()
  output_of(("%s bindings/python/declarations.lua c >%s.c"):format(lua, program))
  output_of(("%s -std=c11 -I runtime/include/genattn -I text -I bindings/python -o %s %s.c"):format(cc, program,
    program))
  local output = output_of(program)
  os.remove(program)
  os.remove(program .. ".c")
  return output
end

local declarations = assert(loadstring(output_of(lua .. " bindings/luajit/declarations.lua ffi")))()
ffi.cdef(declarations.cdef)
ffi.cdef(declarations.text_cdef)
local passed, failed, structs = 0, 0, {}

-- The size of a field that is an array, a struct or a pointer; "-" of a number, which Lua is given without its type.
local function field_size(object, field)
  local value = object[field]
  return type(value) == "cdata" and ffi.sizeof(value) or "-"
end

local FOUND = {
  value = function(name) return tostring(tonumber(ffi.C[name])) end,
  size = function(name)
    structs[name] = true
    return tostring(ffi.sizeof("struct " .. name))
  end,
  field = function(path)
    local struct, field = path:match("^([%w_]+)%.([%w_]+)$")
    return ("%s %d"):format(field_size(ffi.new("struct " .. struct), field), ffi.offsetof("struct " .. struct, field))
  end,
}

for line in said():gmatch("[^\n]+") do
  local kind, name, numbers = line:match("^(%l+) (%S+) (.+)$")
  -- What Python's own calls have is none of ours.
  if not name:lower():find("^ga_python") then
    local found = FOUND[kind](name)
    if kind == "field" and found:find("^%-") then
      found, numbers = found:match(" (%d+)$"), numbers:match(" (%d+)$")
    end
    if found == numbers then passed = passed + 1 else
      failed = failed + 1
      print(("FAIL: the compiler says %s, FFI %s"):format(line, found))
    end
  end
end
for _, name in ipairs { "ga_io", "ga_model", "ga_error", "ga_loaded", "ga_stack", "ga_pack_map", "ga_text_encoding" } do
  if not structs[name] then
    failed = failed + 1
    print("FAIL: there is no struct " .. name)
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
