-- gguf/phi3.lua: Phi-3 and Phi-4-mini: a Llama with one weight for q, k and v and one for gate and up, of whose heads a
-- part may rotate. The window is that of transformers; llama.cpp takes none.
return require("import.gguf.common").decoder("phi3", {
  maps = { "gguf_phi3" }, takes = { ["attention.sliding_window"] = true },
  fields = { { "attention.sliding_window", "mask.window", by = "ggml_window", optional = true } },
  fixed = { { "rope.layout", "half_split" }, { "ffn.fused", true } },
})
