-- What both Lua 5.4 and LuaJIT have, and nothing else; one file may know where they differ.
stds.both = { read_globals = { package = { fields = { "searchpath" } } } }
std = "min+both"
max_line_length = 120
-- What runs under LuaJIT alone.
for _, name in ipairs { "ffi", "text_ffi" } do files["bindings/luajit/" .. name .. ".lua"] = { std = "luajit" } end
files["tests/bindings/luajit"] = { std = "luajit" }
files["generator/base/compat.lua"] = { std = "max" }
