-- What both Lua 5.4 and LuaJIT have, and nothing else; one file may know where they differ.
std = "min"
max_line_length = 120
files["generator/base/compat.lua"] = { std = "max" }
