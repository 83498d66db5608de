-- What both Lua 5.4 and LuaJIT have, and nothing else; one file may know where they differ.
std = "min"
max_line_length = 120
-- What runs under LuaJIT alone.
files["bindings/luajit/ffi.lua"] = { std = "luajit" }
files["tests/bindings/luajit"] = { std = "luajit" }
files["generator/base/compat.lua"] = { std = "max" }
