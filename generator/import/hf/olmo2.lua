-- hf/olmo2.lua: Olmo2Model: LlamaModel with norms over blocks' results, before these join the residual, in place of
-- those before blocks, and a norm over all heads of q and one over those of k.
return require("import.hf.common").like(require "import.hf.llama", "Llama", "Olmo2", {
  maps = { "gemma2" },
  fields = {
    { "rms_norm_eps", "norm.eps", default = 1e-5 },
    { "rms_norm_eps", "qk_norm.eps", default = 1e-5 },
  },
  without = "mlp_bias",
  fixed = {
    { "norm.place", "result" }, { "qk_norm.kind", "rms" }, { "qk_norm.over", "row" }, { "ffn.bias", false },
  },
})
