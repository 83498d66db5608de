-- f32.lua: single precision, as the vectors of every instruction set hold it: nothing is converted.
return { name = "f32", bytes = 4, type = "float", from_float = "%s", to_float = "%s" }
