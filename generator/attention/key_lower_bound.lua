-- key_lower_bound.lua: rows that do not see their first keys, which a feature that gives them a window asks for. Each
-- row has a first key besides the end of its keys: panels, vectors and running sums before it are left out.

return {
  name = "key_lower_bound",
  on = function(spec) return spec.key_lower_bound end,
}
