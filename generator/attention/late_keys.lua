-- late_keys.lua: rows that do not see their first keys, which a feature that gives them a window asks for. Each row has
-- a first key beside its limit: panels, vectors and running sums before it are left out.

return {
  name = "late_keys",
  splices = function(spec)
    return spec.late_keys and {
      block_fields = "late_keys.block_fields.c.lt", block_functions = "late_keys.block_functions.c.lt",
      tile_scores = "late_keys.tile_scores.c.lt", first_vector = "late_keys.first_vector.c.lt",
      first_score_vector = "late_keys.first_score_vector.c.lt",
      spread_row = "late_keys.spread_row.c.lt", value_tiles = "late_keys.value_tiles.c.lt",
      value_params = "late_keys.value_params.c.lt", value_begin = "late_keys.value_begin.c.lt",
    } or nil
  end,
}
