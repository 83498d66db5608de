-- full_range_fallback.lua: rows may give weight to keys outside their range, which a feature asks for that says when
-- (row_needs_full_range) and how (use_full_range). Takes over the softmax of a block, whose rows then all get all keys.

return {
  name = "full_range_fallback",
  on = function(spec) return spec.full_range_fallback end,
  calls = { "row_needs_full_range", "use_full_range" },
}
