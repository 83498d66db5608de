-- ops/tables.lua: packs a matrix as it is, for blocks that look rows up in one: they ask for it by
-- spec.packs_tables or spec.own_token_table.
return {
  name = "tables",
  on = function(spec) return spec.packs_tables or spec.own_token_table end,
}
