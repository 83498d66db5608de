-- attention_output.lua: `attention` of the spec's outputs: softmax weights. outputs.lua has all else about outputs.
return {
  name = "attention_output",
  on = function(spec) return spec.attention_output end,
}
