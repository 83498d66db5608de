-- int8_row.lua: rows of a cache, symmetric, with a scale for each row: the largest magnitude is 127. An element is made
-- of a float that is a whole number already; the scale is no element's to know.
return {
  name = "int8_row", word = "int8", bits = 8, rows = true, bytes = 1, type = "int8_t", scales = "bf16", largest = 127,
  enum = "I8", from_float = "(int8_t)%s", to_float = "(float)%s", load = "load_int8", store = "store_int8",
}
