-- test: bits, programs, shared
-- A causal stack as GPT-2 is built, with a cache: learned positions that go on from call to call, tied logits.
return {
  kind = "encoder",
  name = "gpt2_48_4",
  d_model = 48,
  n_heads = 4,
  d_ff = 64,
  n_layers = 3,
  seq_len = "1..60",
  vocab_size = 70,
  tokenizer = "3bcd5f411260ad03", -- of tests/program/program_text.lua
  text_input = { eos = { 7, 14, 21, 28, 35, 42, 49, 56, 63 } }, -- of tests/program/program_chat.lua
  cache = 90,
  positions = { kind = "learned" },
  norm = { place = "pre" },
  ffn = { activation = "gelu_tanh" },
  logits = { kind = "softmax", tied = true },
}
