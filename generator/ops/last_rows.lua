-- ops/last_rows.lua: narrow rows for the products after the last layer, for blocks whose product there multiplies them:
-- they ask for it by spec.makes_last_rows, and have the memory of their own.
return {
  name = "last_rows",
  on = function(spec) return spec.makes_last_rows end,
}
