-- hf/mistral.lua: MistralModel: LlamaModel without biases, each row seeing the last sliding_window keys.
return require("import.hf.common").like(require "import.hf.llama", "Llama", "Mistral", {
  fields = { { "sliding_window", "mask.window", by = "window", default = 4096, null = false } },
  without = "attention_bias mlp_bias",
  fixed = { { "bias", false }, { "ffn.bias", false } },
})
