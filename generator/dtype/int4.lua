-- int4.lua: 4 bits a weight; a group has a byte, what a step is worth, and one more, where among its 16 numbers zero
-- is, to a sixteenth of a step. Both together take half a bit a weight, as scales and minima of llama.cpp's Q4_K do.
return require("dtype.groups").type("int4", 4, "byte", nil)
