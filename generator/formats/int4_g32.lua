-- int4_g32.lua: 4 bits a weight, asymmetric; a group has a byte, its scale, and one more, its zero point: where among
-- its 16 numbers zero is, to a sixteenth. Both together take half a bit a weight, as scales and minima of llama.cpp's
-- Q4_K do.
return require("formats.vocabulary.groups").format("int4_g32", "int4", 4, "byte", nil)
