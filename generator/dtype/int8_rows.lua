-- int8_rows.lua: rows of a cache as whole numbers of a step that is the row's own, 127 of them at most on both sides of
-- zero. An element is made of a float that is such a number already; what a step is worth is no element's to know.
return {
  name = "int8_rows", bytes = 1, type = "int8_t", steps = "bf16", largest = 127, enum = "I8",
  from_float = "(int8_t)%s", to_float = "(float)%s", load = "load_int8", store = "store_int8",
}
