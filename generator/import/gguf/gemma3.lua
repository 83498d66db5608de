-- gguf/gemma3.lua: Gemma 3: a Gemma 2 with norms of each head of q and k, and no caps but one of logits that the file
-- says. Five of six layers have a window, other angles, and positions that are not scaled.
local common = require "import.gguf.common"

return common.decoder("gemma3", {
  maps = { "gguf_gemma2" }, takes = common.WINDOW,
  fields = {
    { "attention.layer_norm_rms_epsilon", "qk_norm.eps" },
    { "attention.head_count", "scale", by = "scale_of_rows", layers = 62, quiet = true },
    { "final_logit_softcapping", "logits.softcap", by = "some", optional = true, quiet = true },
    { "attention.sliding_window_pattern", "layers.pattern", by = "windows", key = "attention.sliding_window",
      default = 6 },
    { "rope.freq_base_swa", default = 10000, use = "rope.theta of layers with a window" },
    { "attention.sliding_window", "layers.kinds", by = "near_kind", is_causal = true, theta = "rope.freq_base_swa",
      is_unscaled = true, optional = true },
  },
  fixed = {
    { "rope.layout", "half_split" }, { "embedding.scale", true }, { "ffn.activation", "gelu_tanh" },
    { "norm.place", "sandwich" }, { "qk_norm.kind", "rms" },
  },
})
