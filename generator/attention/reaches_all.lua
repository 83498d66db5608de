-- reaches_all.lua: rows may give weight to keys outside their range, which a feature asks for that says when
-- (row_reaches) and how (reach_all). Takes over the softmax of a block, whose rows then all get all keys.

return {
  name = "reaches_all",
  on = function(spec) return spec.reaches_all end,
  calls = { "row_reaches", "reach_all" },
}
