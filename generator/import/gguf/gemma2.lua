-- gguf/gemma2.lua: Gemma 2: a Gemma with another norm over each block's result, scores and logits that are capped
-- softly, and a window in every second layer. The factor of scores is that of its sizes, which no key tells.
local common = require "import.gguf.common"

return common.decoder("gemma2", {
  maps = { "gguf_gemma2" }, takes = common.WINDOW,
  fields = {
    { "attention.head_count", "scale", by = "scale_of_rows", layers = 46, quiet = true },
    { "attn_logit_softcapping", "softcap", by = "some", default = 50 },
    { "final_logit_softcapping", "logits.softcap", by = "some", default = 30 },
    { "attention.sliding_window_pattern", "layers.pattern", by = "windows", default = 2 },
    { "attention.sliding_window", "layers.kinds", by = "near_kind", is_causal = true, default = 4096 },
  },
  fixed = {
    { "rope.layout", "half_split" }, { "embedding.scale", true }, { "ffn.activation", "gelu_tanh" },
    { "norm.place", "sandwich" },
  },
})
