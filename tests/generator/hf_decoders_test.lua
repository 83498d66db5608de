-- hf_decoders_test.lua: --from-hf of decoders whose norms or scores are not as Llama's: Gemma.
local hf = dofile("tests/generator/hf_folders.lua")

local fact, reads, refuses_config = hf.fact, hf.reads, hf.refuses_config

if not require("import.from_hf.json").available() then fact.finish() end

local function like_llama(type, name) return (hf.LLAMA:gsub('"llama"', ('"%s"'):format(type)):gsub("Llama", name)) end

fact.holds("a Gemma's norms multiply by 1 + weight, and its token rows are scaled", function()
  local gemma = like_llama("gemma", "Gemma")
  local s = reads(gemma, '"head_dim": 4, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": null').spec
  fact.equal(("%s %s %s %s"):format(s.norm.unit_offset, s.embedding.is_root, s.ffn.activation, s.ffn.bias),
    "true true gelu_tanh false")
  refuses_config(gemma, '"head_dim": 4, "use_bidirectional_attention": true',
    "use_bidirectional_attention is true; expected false: rows see no later ones")
end)

fact.finish()
