-- w_o: four linears as most lectures name them.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embedding.weight",
  sinks = "sinks",
  relative_bias = "relative_attention_bias.weight",
}, {
  q = "w_q",
  k = "w_k",
  v = "w_v",
  o = "w_o",
  q_norm = "q_norm",
  k_norm = "k_norm",
})
