-- gguf/gemma.lua: Gemma: a Llama whose token rows are scaled by sqrt(d_model). The converter adds 1 to the weights of
-- norms.
return require("import.gguf.common").decoder("gemma", {
  fixed = { { "rope.layout", "half_split" }, { "embedding.scale", true }, { "ffn.activation", "gelu_tanh" } },
})
