-- hf/granite.lua: GraniteModel, the dense one: LlamaModel with factors of the embedding, of scores, of what joins the
-- residual and of logits.
local llama = require "import.hf.llama"

local logits = llama.architectures.LlamaForCausalLM

return require("import.hf.common").like(llama, "Llama", "Granite", {
  fields = {
    { "embedding_multiplier", "embedding.scale", default = 1 },
    { "attention_multiplier", "scale", default = 1 },
    { "residual_multiplier", "layer.residual_scale", default = 1 },
  },
  ignores = { { "a head's", "logits_scaling" } },
  architectures = {
    GraniteForCausalLM = {
      fixed = logits.fixed,
      fields = { logits.fields[1], { "logits_scaling", "logits.scale", by = "inverse", default = 1 } },
    },
  },
})
