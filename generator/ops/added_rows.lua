-- ops/added_rows.lua: sums of rows, for blocks that add to them: they ask for it by spec.adds_rows.
return {
  name = "added_rows",
  splices = function(spec)
    return { row_functions = spec.adds_rows and "added_rows.row_functions.c.lt" }
  end,
}
