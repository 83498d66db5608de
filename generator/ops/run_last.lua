-- ops/run_last.lua: runs linears after the last layer, for blocks that ask for it by spec.runs_last.
return {
  name = "run_last",
  on = function(spec) return spec.runs_last end,
}
