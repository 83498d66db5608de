-- proj: map w_o with the names of Hugging Face's attention modules that keep four linears apart.
return require("import.maps.with_biases")(require "import.maps.w_o", {
  q = "q_proj",
  k = "k_proj",
  v = "v_proj",
  o = "out_proj",
})
