-- late_keys.lua: rows that do not see their first keys, which a feature that gives them a window asks for. Each row has
-- a first key beside its limit: panels, vectors and running sums before it are left out.

return {
  name = "late_keys",
  on = function(spec) return spec.late_keys end,
}
