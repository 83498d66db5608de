-- hf/qwen2.lua: Qwen2Model: LlamaModel with biases on q, k and v.
return require("import.hf.common").like(require "import.hf.llama", "Llama", "Qwen2", {
  without = "attention_bias mlp_bias",
  fixed = { { "bias", { q = true, k = true, v = true, o = false } }, { "ffn.bias", false } },
  requires = {
    { "use_sliding_window", false, "all layers see the same keys" },
    { "layer_types", "full_attention", "all layers see the same keys", each = true },
    { "use_mrope", false, "places are numbers, not three of them" },
  },
  ignores = { { "of use_sliding_window", "sliding_window max_window_layers" } },
})
