-- int4.lua: 4 bits a weight; a group has a half, what a step is worth, and where among its 16 numbers zero is, to a
-- sixteenth of a step.
return require("dtype.groups").type("int4", 4, nil)
