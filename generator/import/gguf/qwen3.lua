-- gguf/qwen3.lua: Qwen-3: a Llama with an RMSNorm over each head of q and k, whose rows are where transformers has
-- them.
return require("import.gguf.common").decoder("qwen3", {
  fixed = { { "rope.layout", "half_split" }, { "qk_norm.kind", "rms" } },
  fields = { { "attention.layer_norm_rms_epsilon", "qk_norm.eps" } },
})
