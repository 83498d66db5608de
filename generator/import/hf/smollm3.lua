-- hf/smollm3.lua: SmolLM3Model: LlamaModel with some layers whose attention has no positions.
return require("import.hf.common").like(require "import.hf.llama", "Llama", "SmolLM3", {
  fields = {
    { "rope_parameters.rope_theta", "rope.theta", also = "rope_scaling.rope_theta rope_theta", default = 2e6 },
    { "no_rope_layers", "layers.pattern", by = "plain_layers", also = "no_rope_layer_interval", default = 4 },
    { "no_rope_layers", "layers.kinds", by = "plain_kind", also = "no_rope_layer_interval", default = 4 },
  },
  requires = {
    { "use_sliding_window", false, "all layers see the same keys" },
    { "layer_types", "full_attention", "all layers see the same keys", each = true },
  },
  ignores = { { "of use_sliding_window", "sliding_window max_window_layers" } },
  architectures = {
    SmolLM3ForCausalLM = {
      fixed = { { "logits.kind", "linear" } },
      fields = { { "tie_word_embeddings", "logits.tied", default = true } },
    },
  },
})
