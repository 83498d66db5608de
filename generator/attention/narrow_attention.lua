-- narrow_attention.lua: rows of queries and of softmax weights as narrow products read them, wherever keys and values
-- come from. Comes after all that reads softmax weights as floats.

return {
  name = "narrow_attention",
  on = function(spec) return spec.attends_in ~= "f32" end,
}
