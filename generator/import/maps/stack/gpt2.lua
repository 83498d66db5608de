-- gpt2: a whole GPT2Model of Hugging Face's transformers, whose Conv1D holds [in,out]; GPT2LMHeadModel's file has its
-- names after transformer. and logits of its own name.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "wte.weight",
  positions = "wpe.weight",
  layer = "h.%d.",
  logits_weight = "lm_head.weight",
  transposed = true,
}, {
  qkv = "attn.c_attn",
  o = "attn.c_proj",
  attention_norm = "ln_1",
  up = "mlp.c_fc",
  down = "mlp.c_proj",
  ffn_norm = "ln_2",
  final_norm = "ln_f",
})
