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

fact.holds("an unknown architecture is refused", function()
  refuses(model("llama", { { { "general.architecture", "text", "mamba" } } }),
    'general.architecture is "mamba"; expected one of bert, gpt2, llama, qwen2 or qwen3')
  refuses(gguf.file({}, {}), "general.architecture is missing; expected one of bert, gpt2, llama, qwen2 or qwen3")
  refuses(gguf.file({ { "general.architecture", "text", "common" } }, {}),
    'general.architecture is "common"; expected one of bert, gpt2, llama, qwen2 or qwen3')
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

fact.holds("scaled rotary positions are refused", function()
  local why = "rotary positions are not scaled"
  refuses(model("llama", { { { "llama.rope.scaling.type", "text", "yarn" },
    { "llama.rope.scaling.factor", "f32", 0x40000000 } } }),
    'llama.rope.scaling.type is "yarn"; expected "none": ' .. why,
    "llama.rope.scaling.factor is 2; expected none: " .. why)
  reads(model("llama", { { { "llama.rope.scaling.type", "text", "none" } } }))
  for _, kind in ipairs({ "linear", "yarn" }) do
    reads(model("llama", { { { "llama.rope.scaling.type", "text", kind },
      { "llama.rope.scaling.factor", "f32", 0x3F800000 } } }))
  end
  refuses(model("llama", { { { "llama.rope.scaling.type", "text", "longrope" },
    { "llama.rope.scaling.factor", "f32", 0x3F800000 } } }),
    'llama.rope.scaling.type is "longrope"; expected "none": ' .. why,
    "llama.rope.scaling.factor is 1; expected none: " .. why)
  refuses(model("llama", { {}, { { "rope_freqs.weight", { 2 } } } }), "tensor \"rope_freqs.weight\" is " ..
    "rope_factors under map gguf, which the spec leaves out")
end)

fact.holds("experts, other heads of values and several files are refused", function()
  refuses(model("llama", { { { "llama.expert_count", "u32", 8 } } }), "llama.expert_count is 8; expected 0: the " ..
    "feed-forward is one")
  refuses(model("qwen3", { { { "qwen3.attention.value_length", "u32", 6 } } }),
    "qwen3.attention.value_length is 6; expected 4, as attention.key_length")
  refuses(model("llama", { { { "split.count", "u32", 2 } } }), "split.count is 2; expected 1: one file holds all " ..
    "tensors: llama-gguf-split --merge makes one")
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
