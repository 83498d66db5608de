-- gguf/granite.lua: Granite, the dense one: a Llama with factors of the embedding, of scores, of what joins the
-- residual and of logits.
return require("import.gguf.common").decoder("granite", {
  takes = { logit_scale = true },
  fields = {
    { "embedding_scale", "embedding.scale", optional = true },
    { "attention.scale", "scale", optional = true },
    { "residual_scale", "layer.residual_scale", optional = true },
    { "logit_scale", "logits.scale", by = "inverse", optional = true },
  },
  fixed = { { "rope.layout", "interleaved" } },
  requires = { { "rope.scaling.finetuned", true, "llama.cpp rotates positions only then" } },
})
