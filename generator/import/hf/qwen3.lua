-- hf/qwen3.lua: Qwen3Model: LlamaModel with an RMSNorm over each head of q and k.
local common = require "import.hf.common"
local qwen2 = require "import.hf.qwen2"

local qwen3 = common.like(require "import.hf.llama", "Llama", "Qwen3", {
  first_fields = { { "rms_norm_eps", "qk_norm.eps", default = 1e-6 } },
  without = "mlp_bias",
  fixed = { { "qk_norm.kind", "rms" }, { "ffn.bias", false } },
})
qwen3.requires, qwen3.ignores = qwen2.requires, qwen2.ignores
return qwen3
