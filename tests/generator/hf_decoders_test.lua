-- hf_decoders_test.lua: --from-hf of decoders whose norms or scores are not as Llama's: Gemma, Gemma 2, Gemma 3.
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

-- The kinds of a spec's layers, and the window of those that have one.
local function kinds(s)
  local words = {}
  for i, kind in ipairs(s.kind_of_layer or {}) do words[i] = s.layer_kinds[kind + 1].name end
  local near = s.layers and s.layers.kinds.near or { mask = {} }
  return ("%s %s %s"):format(table.concat(words, ","), tostring(near.mask.window), near.mask.window_sides or "causal")
end

local GEMMA2 = like_llama("gemma2", "Gemma2"):gsub('layers": 1', 'layers": 3')

fact.holds("a Gemma 2 has sandwich norms, caps, and a window in every second layer or as layer_types says", function()
  local said = '"head_dim": 4, "query_pre_attn_scalar": 16, "sliding_window": 7, "hidden_act": "gelu"'
  local s = reads(GEMMA2, said).spec
  fact.equal(("%s %s %g %g %g %s"):format(s.norm.place, s.norm.unit_offset, s.scale_factor, s.attention_spec.softcap,
    s.logits.softcap, s.ffn.activation), "sandwich true 0.25 50 30 gelu_tanh")
  fact.equal(kinds(s), "near,base,near 7 causal")
  s = reads(GEMMA2, said .. ', "attn_logit_softcapping": null, "final_logit_softcapping": null, "layer_types": ' ..
    '["full_attention", "sliding_attention", "sliding_attention"]').spec
  fact.equal(("%s %s"):format(s.attention_spec.softcap, s.logits.softcap), "nil nil")
  fact.equal(kinds(s), "base,near,near 7 causal")
  refuses_config(GEMMA2, '"head_dim": 4, "query_pre_attn_scalar": 0',
    "query_pre_attn_scalar is 0; expected a number above 0")
end)

fact.holds("a Gemma 3 has norms of q and k, other angles in layers with a window, and may see later rows", function()
  local gemma3 = GEMMA2:gsub("gemma2", "gemma3_text"):gsub("Gemma2", "Gemma3")
  local said = '"head_dim": 4, "sliding_window": 8, "sliding_window_pattern": 2, "rope_local_base_freq": 300.0'
  local s = reads(gemma3, said).spec
  fact.equal(("%s %s %s %s %g"):format(s.qk_norm.kind, s.qk_norm.unit_offset, s.attention_spec.softcap,
    s.logits.softcap, s.layers.kinds.near.rope.theta), "rms true nil nil 300")
  fact.equal(kinds(s), "near,base,near 8 causal")
  fact.equal(kinds(reads(gemma3, said .. ', "use_bidirectional_attention": true').spec), "near,base,near 5 both")
  refuses_config(gemma3, '"head_dim": 4, "attn_logit_softcapping": 50.0',
    "attn_logit_softcapping is 50; expected none: scores are not capped")
  local scaled = gemma3:gsub('"rope_scaling": null', '"rope_scaling": { "rope_type": "linear", "factor": 8.0 }')
  local by_kind = gemma3:gsub('"rope_scaling": null', [["rope_parameters": {
    "full_attention": { "rope_type": "linear", "factor": 8.0 }, "sliding_attention": { "rope_type": "default" } }]])
  for _, text in ipairs({ scaled, by_kind }) do
    local made = reads(text, said).spec
    fact.equal(("%s %g %s %s"):format(made.rope.scaling, made.rope.factor, made.layers.kinds.near.rope.scaling,
      made.layers.kinds.near.rope.factor), "linear 8 false false")
  end
end)

fact.holds("an OLMo 2 has norms over blocks' results alone, and norms over all heads of q and of k", function()
  local s = reads(like_llama("olmo2", "Olmo2"), '"head_dim": 4').spec
  fact.equal(("%s %s %s %g %s"):format(s.norm.place, s.qk_norm.kind, s.qk_norm.over, s.qk_norm.eps, s.norm.final),
    "result rms row 1e-05 true")
end)

fact.holds("an OLMo 3 has a window in layers whose rotary positions are not scaled", function()
  local olmo3 = like_llama("olmo3", "Olmo3"):gsub('layers": 1', 'layers": 5')
  local said = '"head_dim": 4, "sliding_window": 8'
  fact.equal(kinds(reads(olmo3, said).spec), "near,near,near,base,near 8 causal")
  local scaled = olmo3:gsub('"rope_scaling": null', '"rope_scaling": { "rope_type": "linear", "factor": 8.0 }')
  local s = reads(scaled, said).spec
  fact.equal(s.attention_spec.rope_scaling ~= nil, true)
  local near = s.layer_kinds[1].name == "near" and s.layer_kinds[1] or s.layer_kinds[2]
  fact.equal(near.spec.rope_scaling, nil)
  local two = olmo3:gsub('"rope_scaling": null', '"rope_parameters": { "sliding_attention": { "rope_type": "yarn" } }')
  refuses_config(two, said, 'rope_parameters.sliding_attention.rope_type is "yarn"; expected "default": rotary ' ..
    "positions of layers with a window are not scaled")
end)

fact.holds("a GPT-NeoX has blocks that read the same rows, and rotates a part of each head", function()
  local neox = [["model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_size": 16,
    "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 12, "vocab_size": 7,
    "max_position_embeddings": 20]]
  local s = reads(neox, '"rotary_emb_base": 500, "rotary_pct": 0.5, "rope_theta": 7').spec
  fact.equal(("%s %s %s %g %d %s %s"):format(s.layer.parallel, s.norm.kind, s.norm.place, s.rope.theta,
    s.rope.rotary_dim, s.ffn.activation, s.logits.tied), "true layer pre 500 4 gelu false")
  s = reads(neox, '"use_parallel_residual": false, "rope_parameters": { "rope_theta": 30, "partial_rotary_factor": ' ..
    '0.25, "rope_type": "linear", "factor": 2.0 }').spec
  fact.equal(("%s %g %d %s"):format(s.layer.parallel, s.rope.theta, s.rope.rotary_dim, s.rope.scaling),
    "false 30 2 linear")
end)

fact.finish()
