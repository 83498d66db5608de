-- int8.lua: 8 bits a weight and a half a group, as Q8_0 of llama.cpp has them: whole numbers of steps on both sides of
-- zero, 127 at most. Numbers are kept as they are over -128.
return require("dtype.groups").type("int8", 8, "half", 128)
