-- zero_weights.lua: keys of a row's range may have a weight of zero, or all of them, which features that mask such keys
-- ask for. Values that are no finite numbers are then passed over row by row, since zero times them is no zero.

return {
  name = "zero_weights",
  splices = function(spec)
    return spec.zero_weights and {
      kernel_tables = "zero_weights.kernel_tables.c.lt", block_fields = "zero_weights.block_fields.c.lt",
      value_functions = "zero_weights.value_functions.c.lt", value_keys = "zero_weights.value_keys.c.lt",
      attend = "zero_weights.attend.c.lt",
      row_bounds = not spec.appends_scores and "zero_weights.row_bounds.c.lt" or nil, -- which are finite numbers
    } or nil
  end,
}
