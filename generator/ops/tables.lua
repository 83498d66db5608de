-- ops/tables.lua: packs a matrix as it is, for blocks that look rows up in one: they ask for it by
-- spec.packs_tables or spec.own_token_table.
return {
  name = "tables",
  splices = function(spec)
    return { pack_functions = (spec.packs_tables or spec.own_token_table) and "tables.pack_functions.c.lt" }
  end,
}
