-- gguf/olmo2.lua: OLMo 2 and OLMo 3: a Llama with norms over blocks' results alone, and one over all heads of q and of
-- k. Layers of an OLMo 3 may have a window, in which positions are not scaled.
local common = require "import.gguf.common"

return common.decoder("olmo2", {
  maps = { "gguf_gemma2" }, takes = common.WINDOW,
  fields = {
    { "attention.layer_norm_rms_epsilon", "qk_norm.eps" },
    { "attention.sliding_window_pattern", "layers.pattern", by = "windows", key = "attention.sliding_window",
      default = 4 },
    { "attention.sliding_window", "layers.kinds", by = "near_kind", is_causal = true, is_unscaled = true,
      optional = true },
  },
  fixed = {
    { "rope.layout", "half_split" }, { "norm.place", "result" }, { "qk_norm.kind", "rms" }, { "qk_norm.over", "row" },
  },
})
