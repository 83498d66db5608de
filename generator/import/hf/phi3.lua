-- hf/phi3.lua: Phi3Model (Phi-3, Phi-4, Phi-4-mini): LlamaModel without biases, with one weight for q, k and v and one
-- for gate and up, of whose heads a part may rotate.
local phi3 = require("import.hf.common").like(require "import.hf.llama", "Llama", "Phi3", {
  maps = { "phi3" },
  fields = {
    { "rms_norm_eps", "norm.eps", default = 1e-5 },
    { "partial_rotary_factor", "rope.rotary_dim", by = "rotary_dim", also = "rope_parameters.partial_rotary_factor",
      optional = true, quiet = true },
    { "sliding_window", "mask.window", by = "window", optional = true, null = false },
  },
  without = "attention_bias mlp_bias partial_rotary_factor rope_parameters.partial_rotary_factor",
  fixed = { { "bias", false }, { "ffn.bias", false }, { "ffn.fused", true } },
})
phi3.ignores = { { "dropout is for training", "attention_dropout resid_pdrop embd_pdrop" } }
return phi3
