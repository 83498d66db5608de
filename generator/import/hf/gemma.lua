-- hf/gemma.lua: GemmaModel: LlamaModel whose token rows are scaled by sqrt(d_model), and whose norms multiply by
-- 1 + weight.
return require("import.hf.common").like(require "import.hf.llama", "Llama", "Gemma", {
  first_fields = {
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu_pytorch_tanh" },
    { "head_dim", "d_head", default = 256 },
  },
  without = "mlp_bias",
  fixed = { { "embedding.scale", true }, { "norm.unit_offset", true }, { "ffn.bias", false } },
  requires = { { "use_bidirectional_attention", false, "rows see no later ones" } },
  ignores = { { "transformers reads hidden_act", "hidden_activation" } },
  architectures = {
    GemmaForCausalLM = {
      fixed = { { "logits.kind", "linear" } },
      fields = { { "tie_word_embeddings", "logits.tied", default = true } },
    },
  },
})
