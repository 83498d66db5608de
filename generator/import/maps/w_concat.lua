-- w_concat: map w_o but for the last linear, which is named after the concatenation of heads.
return require("import.maps.with_biases")(require "import.maps.w_o", { o = "w_concat" })
