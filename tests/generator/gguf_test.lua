-- gguf_test.lua: --from-gguf: which spec comes of a GGUF file of each architecture, and what is refused by name.
local gguf = dofile("tests/generator/gguf_files.lua")
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"
local spec = require "spec"

local fact, model, reads, refuses = gguf.fact, gguf.model, gguf.reads, gguf.refuses

-- -- Specs ----------------------------------------------------------------------------------------------------------

-- The fields that a spec was given, as text but for those that are left out.
local function fields_of(result, left_out)
  local lines = {}
  for _, entry in ipairs(result.spec.given) do
    if not left_out[entry.field] then lines[#lines + 1] = entry.field .. " = " .. spec.literal(entry.value) end
  end
  table.sort(lines)
  return lines
end

-- What a GGUF file says where config.json does not, or otherwise.
local OTHER = { name = true, weights = true, weights_prefix = true, ["rope.rotary_dim"] = true, ["rope.layout"] = true,
  bias = true, ["ffn.bias"] = true, d_head = true, d_ff = true, ["pool.kind"] = true }

fact.holds("a GGUF file gives the spec that the model's folder gives", function()
  if not json.available() then return end
  for name, base in pairs({ llama = hf.LLAMA, qwen2 = hf.QWEN2 .. ', "tie_word_embeddings": true',
    qwen3 = hf.QWEN3:gsub('"head_dim": 6', '"head_dim": 4') .. ', "tie_word_embeddings": true', gpt2 = hf.GPT2,
    bert = hf.BERT:gsub('_layers": 2', '_layers": 1') .. ', "layer_norm_eps": 1e-05' }) do
    fact.lists_equal(fields_of(reads(model(name)), OTHER), fields_of(hf.reads(base), OTHER))
  end
end)

fact.holds("rotary positions of a Llama are interleaved, those of the others are not", function()
  fact.equal(reads(model("llama")).spec.rope.layout, "interleaved")
  fact.equal(reads(model("qwen2")).spec.rope.layout, "half_split")
  fact.equal(reads(model("qwen3")).spec.rope.layout, "half_split")
end)

fact.holds("what is there tells biases, tied logits and the number of token types", function()
  local llama, qwen2 = reads(model("llama")).spec, reads(model("qwen2")).spec
  fact.equal(llama.logits.tied, false)
  fact.equal(qwen2.logits.tied, true)
  for _, projection in ipairs({ "q", "k", "v" }) do
    fact.equal(llama.bias[projection], false)
    fact.equal(qwen2.bias[projection], true)
  end
  fact.equal(qwen2.bias.o, false)
  fact.equal(reads(model("bert")).spec.token_types, 2)
  fact.equal(reads(model("bert")).spec.pool.kind, "cls")
end)

fact.holds("a Granite has its factors, and rotates only where it was trained so", function()
  local three, half = 0x40400000, 0x3F000000
  local s = reads(model("granite", { { { "granite.embedding_scale", "f32", three },
    { "granite.attention.scale", "f32", half }, { "granite.residual_scale", "f32", half },
    { "granite.logit_scale", "f32", 0x41000000 }, { "granite.rope.scaling.finetuned", "bool", true } } })).spec
  fact.equal(("%s %s %s %s %s"):format(s.embedding.scale, s.scale, s.layer.residual_scale, s.logits.scale,
    s.rope.layout), "3 0.5 0.5 0.125 interleaved")
  refuses(model("granite", { { { "granite.rope.scaling.finetuned", "bool", false } } }),
    "granite.rope.scaling.finetuned is false; expected true: llama.cpp rotates positions only then")
  refuses(model("llama", { { { "llama.logit_scale", "f32", three } } }),
    "llama.logit_scale is 3; expected none: logits are not scaled")
end)

fact.holds("a Phi-3 has one weight for q, k and v, one for gate and up, and a window", function()
  local s = reads(model("phi3", { { { "phi3.attention.sliding_window", "u32", 9 } } })).spec
  fact.equal(("%s %s %s %s"):format(s.default_map, s.ffn.fused, s.mask.window, s.rope.layout),
    "gguf_phi3 true 9 half_split")
  fact.equal(reads(model("phi3", { { { "phi3.attention.sliding_window", "u32", 0 } } })).spec.mask.window, nil)
  refuses(model("llama", { { { "llama.attention.sliding_window", "u32", 9 } } }),
    "llama.attention.sliding_window is 9; expected none: all layers see the same keys")
end)

-- The kinds of a spec's layers, their window, and rope.theta of those that have one.
local function kinds(s)
  local words = {}
  for i, kind in ipairs(s.kind_of_layer or {}) do words[i] = s.layer_kinds[kind + 1].name end
  local near = s.layers and s.layers.kinds.near or { mask = {} }
  return ("%s %s %s"):format(table.concat(words, ","), near.mask.window, near.rope and near.rope.theta)
end

-- The file of an architecture with so many layers as the first one; more: tensors that only the others have.
local function layered(name, count, keys, more)
  local list, tensors = { { name .. ".block_count", "u32", count } }, {}
  for _, row in ipairs(keys or {}) do list[#list + 1] = row end
  for layer = 1, count - 1 do
    for _, rows in ipairs({ gguf.MODELS[name][2], more or {} }) do
      for _, row in ipairs(rows) do
        local tensor, is_of_layer = row[1]:gsub("^blk%.0%.", ("blk.%d."):format(layer))
        tensors[#tensors + 1] = is_of_layer > 0 and { tensor, row[2] } or nil
      end
    end
  end
  return model(name, { list, tensors })
end

fact.holds("a Gemma's norms have their 1 already, and its token rows are scaled", function()
  local s = reads(model("gemma")).spec
  fact.equal(("%s %s %s %s %s"):format(s.norm.place, s.norm.unit_offset, s.embedding.is_root, s.ffn.activation,
    s.logits.tied), "pre false true gelu_tanh true")
end)

fact.holds("a Gemma 2 has sandwich norms, caps, and a window in every second layer", function()
  local s = reads(layered("gemma2", 3, { { "gemma2.attention.sliding_window", "u32", 7 } })).spec
  fact.equal(("%s %s %s %s %s"):format(s.norm.place, s.norm.unit_offset, s.scale, s.attention_spec.softcap,
    s.logits.softcap), "sandwich false nil 50 30") -- the factor of scores is the usual one
  fact.equal(kinds(s), "near,base,near 7 nil")
  s = reads(layered("gemma2", 46)).spec
  fact.equal(s.scale, 0.5)
  fact.equal(s.layers.kinds.near.mask.window, 4096)
end)

fact.holds("a Gemma 3 has a window in five of six layers, with other angles and without scaling", function()
  local s = reads(layered("gemma3", 7, { { "gemma3.attention.sliding_window", "u32", 7 },
    { "gemma3.rope.scaling.type", "text", "linear" }, { "gemma3.rope.scaling.factor", "f32", 0x41000000 } })).spec
  fact.equal(kinds(s), "near,near,near,near,near,base,near 7 10000")
  fact.equal(("%s %s %s"):format(s.qk_norm.kind, s.qk_norm.unit_offset, s.attention_spec.softcap), "rms false nil")
  fact.equal(("%s %s"):format(s.layer_kinds[2].spec.rope_scaling, s.rope.factor), "nil 8")
  fact.equal(kinds(reads(layered("gemma3", 7)).spec), " nil nil")
end)

fact.holds("an OLMo 2 has norms over all heads, and an OLMo 3 a window where its list says so", function()
  local s = reads(model("olmo2")).spec
  fact.equal(("%s %s %s %s"):format(s.norm.place, s.qk_norm.over, s.ffn.activation, kinds(s)),
    "result row silu  nil nil")
  local window = { "olmo2.attention.sliding_window", "u32", 9 }
  fact.equal(kinds(reads(layered("olmo2", 5, { window })).spec), "near,near,near,base,near 9 nil")
  local list = { 9, gguf.number(7, 4) .. gguf.number(2, 8) .. "\0\1" }
  fact.equal(kinds(reads(layered("olmo2", 2, { window, { "olmo2.attention.sliding_window_pattern", "raw", list } }))
    .spec), "base,near 9 nil")
  refuses(layered("olmo2", 3, { window, { "olmo2.attention.sliding_window_pattern", "raw", list } }),
    "olmo2.attention.sliding_window_pattern is a list; expected true or false for each layer")
end)

fact.holds("a GPT-NeoX has blocks that read the same rows unless its file says otherwise", function()
  local s = reads(model("gptneox", { { { "gptneox.rope.dimension_count", "u32", 2 } } })).spec
  fact.equal(("%s %s %s %s %d"):format(s.layer.parallel, s.norm.kind, s.ffn.activation, s.logits.tied,
    s.rope.rotary_dim), "true layer gelu true 2")
  s = reads(model("gptneox", { { { "gptneox.use_parallel_residual", "bool", false } } })).spec
  fact.equal(s.layer.parallel, false)
end)

fact.holds("a NomicBERT and a ModernBERT are what their folders are", function()
  local s = reads(model("nomic-bert")).spec
  fact.equal(("%s %s %s %s %s %s"):format(s.norm.place, s.ffn.activation, s.ffn.gated, s.token_types, s.bias.q,
    s.rope.theta), "post silu true 2 false 500000")
  s = reads(layered("modern-bert", 4, nil, { { "blk.0.attn_norm.weight", { 8 } } })).spec
  fact.equal(("%s %s %s %s"):format(s.norm.place, s.norm.skips_first, s.norm.bias, s.ffn.fused), "pre true false true")
  fact.equal(kinds(s), "base,near,near,base 5 10000")
end)

fact.holds("a decoder that pools has no logits", function()
  for number, kind in pairs({ "mean", "cls", "last" }) do
    for _, name in ipairs({ "llama", "qwen2", "qwen3" }) do
      local s = reads(model(name, { { { name .. ".pooling_type", "u32", number } } })).spec
      fact.equal(s.pool.kind, kind)
      fact.equal(s.logits, nil)
    end
  end
  fact.equal(reads(model("qwen3", { { { "qwen3.pooling_type", "u32", 0 } } })).spec.logits.tied, true)
  refuses(model("qwen3", { { { "qwen3.pooling_type", "u32", 4 } } }),
    "qwen3.pooling_type is 4; expected 0 (none), 1 (mean), 2 (cls) or 3 (last)")
end)

fact.holds("the name is the file's, the layout that of its names, and the text is a spec", function()
  local result = reads(model("llama"))
  fact.equal(result.spec.name, "tiny_1")
  fact.equal(result.spec.default_map, "gguf")
  fact.contains(result.text, "-- From a GGUF file of llama.cpp: architecture llama.\n")
  fact.contains(result.text, 'weights = "gguf"')
  fact.contains(table.concat(result.lines, "\n"),
    "llama.rope.freq_base                    500000  rope.theta = 500000\n")
end)

fact.holds("flags stand before what the file says", function()
  local result = reads(model("llama"), { ["rope.theta"] = 7, seq_len = "1..9" })
  fact.equal(result.spec.rope.theta, 7)
end)

fact.holds("a float is the decimal that it was written from", function()
  for bits, value in pairs({ [0x3727C5AC] = 1e-5, [0x358637BD] = 1e-6, [0x2B8CBCCC] = 1e-12,
    [0x3EAAAAAB] = 0.33333334 }) do
    local result = reads(model("llama", { { { "llama.attention.layer_norm_rms_epsilon", "f32", bits } } }))
    fact.equal(result.spec.norm.eps, value)
  end
end)

fact.holds("a GGUF layout is offered only where the spec names it", function()
  local fields = {}
  for _, entry in ipairs(reads(model("qwen2")).spec.given) do fields[entry.field] = entry.value end
  fields.weights = nil
  for _, map in ipairs(assert(spec.from_fields(fields)).maps) do assert(not map.name:find("gguf"), map.name) end
end)

fact.holds("blocks are types of tensors that are read", function()
  local wide = { { { "llama.embedding_length", "u32", 32 } }, {} }
  for _, row in ipairs(gguf.MODELS.llama[2]) do
    local shape = {}
    for i, size in ipairs(row[2]) do shape[i] = size == 8 and 32 or size == 4 and 16 or size end
    wide[2][#wide[2] + 1] = { row[1], shape, #shape == 2 and shape[2] == 32 and 2 or 0 }
  end
  wide[1][2] = { "llama.rope.dimension_count", "u32", 16 }
  local said = table.concat(reads(model("llama", wide)).lines, "\n")
  fact.contains(said, "all 12 tensors of map gguf are there, F32 and Q4_0")
  fact.equal(said:find("note: the loader", 1, true), nil)
end)

-- -- Refused by name ------------------------------------------------------------------------------------------------

local ALL = "bert, gemma, gemma2, gemma3, gpt2, gptneox, granite, llama, modern-bert, nomic-bert, olmo2, phi3, " ..
  "qwen2 or qwen3"

fact.holds("an unknown architecture is refused", function()
  refuses(model("llama", { { { "general.architecture", "text", "mamba" } } }),
    'general.architecture is "mamba"; expected one of ' .. ALL)
  refuses(gguf.file({}, {}), "general.architecture is missing; " ..
    "expected one of " .. ALL)
  refuses(gguf.file({ { "general.architecture", "text", "common" } }, {}),
    'general.architecture is "common"; expected one of ' .. ALL)
end)

fact.holds("an unknown key is refused, unless it is ignored by name", function()
  local file = model("llama", { { { "llama.gravity", "u32", 9 } } })
  refuses(file, "what llama.gravity (9) changes in a llama is not known; where it changes no result, " ..
    "--hf-ignore llama.gravity goes on without it")
  local ignored = { ["llama.gravity"] = true, ["llama.levity"] = true, ["output_norm"] = true }
  reads(file, nil, ignored)
  fact.equal(ignored["llama.gravity"], "used")
  fact.equal(ignored["output_norm"], "used")
  fact.equal(ignored["llama.levity"], true) -- which configure refuses
end)

-- A Llama with scaled positions. kind: of scaling, or nil; factor: bits of it, or nil; more: keys after
-- llama.rope.scaling.; tensors: in addition.
local function scaled(kind, factor, more, tensors)
  local keys = {}
  local function add(name, type_name, value) keys[#keys + 1] = { "llama.rope.scaling." .. name, type_name, value } end
  if kind then add("type", "text", kind) end
  if factor then add("factor", "f32", factor) end
  for _, row in ipairs(more or {}) do add(row[1], row[2], row[3]) end
  return model("llama", { keys, tensors or {} })
end

-- The fields of rope of the spec of such a file, as words.
local function rope_of(file, given)
  local rope, words = reads(file, given).spec.rope, {}
  for _, name in ipairs({ "scaling", "factor", "original_positions", "slow_turns", "fast_turns",
    "attention_factor" }) do
    words[#words + 1] = tostring(rope[name])
  end
  for _, name in ipairs({ "divisors", "long_divisors" }) do
    words[#words + 1] = rope[name] and table.concat(rope[name], ",") or "nil"
  end
  return table.concat(words, " "), rope
end

local ONE, TWO, FOUR, LOW, HIGH = 0x3F800000, 0x40000000, 0x40800000, 0x3F4CCCCD, 0x41900000 -- 0.8 and 18
local FREQS = { "rope_freqs.weight", { 2 }, 0, { ONE, HIGH } }
local LONG = { "rope_factors_long.weight", { 2 }, 0, { TWO, HIGH } }
local SHORT = { "rope_factors_short.weight", { 2 }, 0, { ONE, TWO } }

fact.holds("scaled rotary positions come of rope.scaling", function()
  fact.equal(rope_of(scaled("linear", FOUR)), "linear 4 nil nil nil nil nil nil")
  fact.equal(rope_of(scaled("yarn", FOUR)), "yarn 4 20 1 32 nil nil nil")
  fact.equal(rope_of(scaled("yarn", FOUR, { { "original_context_length", "u32", 8 }, { "yarn_beta_slow", "f32", TWO },
    { "yarn_beta_fast", "f32", FOUR }, { "yarn_ext_factor", "f32", ONE }, { "finetuned", "bool", true } })),
    "yarn 4 8 2 4 nil nil nil")
end)

fact.holds("a factor of 1, and keys beside no scaling, scale nothing", function()
  for _, kind in ipairs({ "none", "linear", "yarn" }) do
    fact.equal(rope_of(scaled(kind, ONE, { { "original_context_length", "u32", 8 }, { "attn_factor", "f32", ONE },
      { "yarn_ext_factor", "f32", TWO } })), "nil nil nil nil nil nil nil nil")
  end
  fact.equal(rope_of(scaled("linear", 0)), "nil nil nil nil nil nil nil nil")
end)

fact.holds("divisors of rotary angles come of tensors", function()
  fact.equal(rope_of(scaled(nil, nil, nil, { FREQS })), "longrope nil nil nil nil nil 1,18 nil")
  fact.equal(rope_of(scaled("none", ONE, { { "attn_factor", "f32", TWO } }, { FREQS })),
    "longrope nil nil nil nil 2 1,18 nil")
  local both = scaled("longrope", nil, { { "original_context_length", "u32", 8 }, { "attn_factor", "f32", LOW } },
    { LONG, SHORT })
  local said, rope = rope_of(both)
  fact.equal(said, "longrope nil 8 nil nil 0.8 1,2 2,18")
  fact.equal(rope.is_long, true)
  fact.equal(select(2, rope_of(both, { seq_len = "1..8" })).is_long, false)
  fact.contains(reads(both).text, "long_divisors = { 2, 18 }")
end)

fact.holds("scaled rotary positions of other kinds are refused", function()
  local key, why = "llama.rope.scaling.", "rotary positions are not scaled"
  refuses(scaled("su", FOUR), key .. 'type is "su"; expected none, linear, yarn or longrope',
    key .. "factor is 4; expected 1: " .. why)
  refuses(scaled("none", FOUR), key .. "factor is 4; expected 1: " .. why)
  refuses(scaled(nil, nil, { { "attn_factor", "f32", TWO } }), key .. "attn_factor is 2; expected 1: " .. why)
  refuses(scaled("yarn", FOUR, { { "attn_factor", "f32", TWO } }),
    key .. "attn_factor is 2; expected 1: scaling of type yarn does not use it")
  for name, must in pairs({ yarn_ext_factor = "1", yarn_attn_factor = "1", yarn_log_multiplier = "0" }) do
    refuses(scaled("yarn", FOUR, { { name, "f32", TWO } }), key .. name .. " is 2; expected " .. must)
  end
  refuses(scaled("longrope", ONE), key .. 'type is "longrope"; expected tensors rope_factors_long.weight and ' ..
    "rope_factors_short.weight with it")
  refuses(scaled("longrope", FOUR, nil, { LONG, SHORT }),
    key .. "factor is 4; expected 1: scaling of type longrope does not use it")
  refuses(scaled("linear", FOUR, { { "gravity", "f32", TWO } }), "what llama.rope.scaling.gravity (2) changes in a " ..
    "llama is not known; where it changes no result, --hf-ignore llama.rope.scaling.gravity goes on without it")
end)

fact.holds("divisors that are not those of the pairs are refused", function()
  local which = "(tensors).rope_factors is "
  refuses(scaled("linear", FOUR, nil, { FREQS }),
    which .. '"rope_freqs.weight"; expected none: scaling of type linear has a factor',
    "llama.rope.scaling.factor is 4; expected 1: rotary positions are not scaled")
  for _, one in ipairs({ LONG, SHORT }) do
    refuses(scaled(nil, nil, nil, { one }),
      which .. '"' .. one[1] .. '"; expected both rope_factors_long.weight and rope_factors_short.weight')
  end
  refuses(scaled(nil, nil, nil, { FREQS, SHORT }),
    "tensor rope_factors_short.weight beside rope_freqs.weight; expected one of them")
  for _, row in ipairs({ { { 2, 1 }, 0 }, { { 2 }, 1 }, { { 513 }, 0 } }) do
    local made, errors = gguf.read(scaled(nil, nil, nil, { { "rope_freqs.weight", row[1], row[2] } }))
    fact.equal(made, nil)
    fact.contains(errors[1], 'tensor "rope_freqs.weight"; expected a list of at most 512 F32')
  end
  local made, errors = gguf.read(scaled(nil, nil, nil, { { "rope_freqs.weight", { 1 }, 0, { ONE } } }))
  fact.equal(made, nil)
  fact.contains(errors[1], "rope.divisors has 1 numbers, but 4 dimensions rotate, which are 2 pairs")
  made, errors = gguf.read(scaled(nil, nil, nil, { { "rope_freqs.weight", { 2 }, 0, { ONE, 0x7FC00000 } } }))
  fact.equal(made, nil)
  fact.contains(errors[1], "(tensors).rope_divisors is ")
end)

fact.holds("experts and other heads of values are refused", function()
  refuses(model("llama", { { { "llama.expert_count", "u32", 8 } } }), "llama.expert_count is 8; expected 0: the " ..
    "feed-forward is one")
  refuses(model("qwen3", { { { "qwen3.attention.value_length", "u32", 6 } } }),
    "qwen3.attention.value_length is 6; expected 4, as attention.key_length")
  refuses(model("llama", { { { "llama.vocab_size", "u32", 9 } } }),
    "llama.vocab_size is 9; expected 7, as token_embd.weight has rows")
  refuses(model("bert", { { { "bert.pooling_type", "u32", 4 } } }),
    "bert.pooling_type is 4; expected 0 (none), 1 (mean), 2 (cls) or 3 (last)")
end)

fact.holds("biases that only some of the linears have are refused", function()
  refuses(model("llama", { {}, { { "blk.0.ffn_up.bias", { 12 } } } }),
    '(tensors).ffn_biases is "up"; expected none, or those of all')
end)

fact.holds("a missing tensor, one of another shape and one that nothing reads are refused", function()
  refuses(model("llama", { {}, { { "blk.0.attn_q.weight", { 8, 4 } } } }),
    'tensor "blk.0.attn_q.weight" has shape [8, 4]; map gguf expects [8, 8] for layers.0.q_weight')
  refuses(model("llama", { { { "llama.block_count", "u32", 2 } } }),
    'no tensor "blk.1.attn_q.weight", which map gguf expects as [8, 8] for layers.1.q_weight',
    'no tensor "blk.1.attn_k.weight", which map gguf expects as [4, 8] for layers.1.k_weight',
    'no tensor "blk.1.attn_v.weight", which map gguf expects as [4, 8] for layers.1.v_weight',
    'no tensor "blk.1.attn_output.weight", which map gguf expects as [8, 8] for layers.1.o_weight',
    "and 5 more like this")
  refuses(model("llama", { {}, { { "blk.0.wing.weight", { 2 } } } }),
    'nothing reads tensor "blk.0.wing.weight", and ' ..
    "what it is for is not known; where it changes no result, --hf-ignore blk.0.wing.weight goes on without it")
end)

fact.finish()
