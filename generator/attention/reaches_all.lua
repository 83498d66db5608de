-- reaches_all.lua: rows may give weight to keys outside their range, which a feature asks for that says when
-- (row_reaches) and how (reach_all). Takes over the softmax of a block, whose rows then all get all keys.

return {
  name = "reaches_all",
  splices = function(spec)
    return spec.reaches_all and {
      attend_functions = "reaches_all.attend_functions.c.lt", softmax_block = "reaches_all.softmax_block.c.lt",
    } or nil
  end,
}
