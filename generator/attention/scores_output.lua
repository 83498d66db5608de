-- scores_output.lua: `scores` of the spec's outputs, as softmax reads them. outputs.lua has all else about outputs.
return {
  name = "scores_output",
  on = function(spec) return spec.wanted.scores end,
}
