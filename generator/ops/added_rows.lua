-- ops/added_rows.lua: sums of rows, for blocks that add to them: they ask for it by spec.adds_rows.
return {
  name = "added_rows",
  on = function(spec) return spec.adds_rows end,
}
