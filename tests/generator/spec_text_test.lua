-- spec_text_test.lua: a spec can be written and read back, field by field and from every flag of a command line.
local fact = dofile("tests/generator/fact.lua")
local fs = require "base.fs"
local modifiers = require "attention.modifiers"
local sandbox = require "schema.sandbox"
local spec = require "spec"

local folder = fact.folder("spec_text")

-- A good spec with `more` on top; a field given as nil_field is left out.
local NONE = {}

local function fields_with(more)
  local fields = { d_model = 8, n_heads = 2 }
  for key, value in pairs(more) do
    if value == NONE then fields[key] = nil else fields[key] = value end
  end
  return fields
end

local function accepts(more)
  local s, errors = spec.from_fields(fields_with(more))
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

-- -- Writing and reading back ---------------------------------------------------------------------------------------

-- Everything in a value, keys in order.
local function serialised(value)
  if type(value) ~= "table" then return type(value) .. ":" .. tostring(value) end
  local parts = {}
  for key, inner in pairs(value) do parts[#parts + 1] = tostring(key) .. "=" .. serialised(inner) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

-- Numbers that were read are doubles; in Lua 5.4 that shows.
local function same_spec(a, b)
  local function normal(s) return (serialised(s):gsub("(number:%-?%d+)%.0", "%1")) end
  fact.equal(normal(a), normal(b))
end

-- Words a command line may give for every flag.
local WORDS = {
  ["--name"] = { "tiny" }, ["--d-model"] = { "2" }, ["--heads"] = { "4" }, ["--d-head"] = { "3" },
  ["--seq-len"] = { "7", "1..7", "3..4" }, ["--kv-seq-len"] = { "9", "2..9" }, ["--batch"] = { "2" },
  ["--unroll"] = { "1", "8" }, ["--weights-dtype"] = require("formats").weights(),
  ["--matmul"] = { "exact", "fast" },
  ["--dtype"] = { "f32", "i16", "int8", "any", "int8,o=i16,logits=f32", "q=i16,logits=bf16" },
  ["--kv-heads"] = { "1" }, ["--bias"] = { "all", "none", "q,o", "k" },
  ["--scale"] = { "d_head", "d_model", "0.1", "1e-5", "0.3333333333333333", "2", "123.00006103515625",
    "123.000030517578125" },
  ["--causal"] = { "top_left", "bottom_right", "off" }, ["--lengths"] = { "yes", "no" },
  ["--window"] = { "1", "128" }, ["--window-sides"] = { "both" }, ["--mask-tensor"] = { "bool", "additive" },
  ["--mask-memory"] = { "bool", "additive" },
  ["--mask-fill"] = { "-inf", "-10000", "-1e-12", "-1e20" }, ["--masked-row"] = { "zero", "uniform" },
  ["--add-bias-kv"] = { "yes", "no" }, ["--add-zero-attn"] = { "yes", "no" }, ["--dropout"] = { "0.1" },
  ["--softcap"] = { "50", "0.5" }, ["--alibi"] = { "yes", "no" }, ["--sinks"] = { "yes", "no" },
  ["--relative-buckets"] = { "32" }, ["--relative-distance"] = { "128" },
  ["--outputs"] = { "attention,attention_mean", "", "scores,x_heads,q_proj" }, ["--vocab-size"] = { "30522" },
  ["--weights-layout"] = { "w_o", "torch_mha" }, ["--weights-prefix"] = { "encoder.layer.3.attention.", "m/" },
  ["--heads-as"] = { "split", "shared" }, ["--kind"] = { "mha", "sdpa", "encoder", "decoder", "transformer" },
  ["--d-v"] = { "5" }, ["--cache"] = { "512" }, ["--cache-dtype"] = require("formats").rows(),
  ["--projections"] = { "qkvo", "qkv" }, ["--k-dim"] = { "5" }, ["--v-dim"] = { "1" }, ["--d-out"] = { "7" },
  ["--rope"] = { "half_split", "interleaved" }, ["--rope-theta"] = { "500000", "1e6" }, ["--rope-dim"] = { "2" },
  ["--rope-positions"] = { "4096" }, ["--rope-scaling"] = { "linear" }, ["--rope-factor"] = { "2", "1.5" },
  ["--rope-original"] = { "64" }, ["--qk-norm"] = { "rms", "layer" }, ["--qk-norm-eps"] = { "1e-5" },
  ["--layers"] = { "3" }, ["--layer-attention"] = { "yes" }, ["--layer-residual"] = { "yes" }, -- blocks_test has no
  ["--sublayer"] = { "no" }, -- and yes
  ["--decoder-layers"] = { "1" }, ["--src-vocab-size"] = { "9" },
  ["--d-ff"] = { "32" }, ["--ffn-activation"] = { "relu", "gelu_tanh" },
  ["--ffn-gated"] = { "yes", "no" }, ["--ffn-fused"] = { "yes", "no" }, ["--ffn-bias"] = { "yes", "no" },
  ["--ffn-down-bias"] = { "yes", "no" }, ["--ffn-adapter-rank"] = { "8" }, ["--ffn-adapter-scale"] = { "0.5" },
  ["--norm"] = { "layer", "rms", "none" },
  ["--norm-eps"] = { "1e-12" }, ["--norm-place"] = { "post", "pre", "result", "sandwich" },
  ["--norm-final"] = { "yes", "no" }, ["--norm-bias"] = { "yes", "no" }, ["--norm-skips-first"] = { "yes", "no" },
  ["--norm-unit-offset"] = { "yes", "no" },
  ["--positions"] = { "learned", "sinusoidal" }, ["--positions-rows"] = { "600" }, ["--positions-first"] = { "2" },
  ["--positions-padding"] = { "1" }, ["--dense-sizes"] = { "256", "3072,768" },
  ["--dense-activation"] = { "tanh", "gelu,none" }, ["--dense-bias"] = { "no", "yes,no" },
  ["--token-types"] = { "2" }, ["--embedding-scale"] = { "yes", "no", "12.5" },
  ["--layer-residual-scale"] = { "0.22" }, ["--layer-parallel"] = { "yes", "no" },
  ["--logits-scale"] = { "0.125" }, ["--logits-softcap"] = { "30" }, ["--embedding-norm"] = { "yes", "no" },
  ["--pool"] = { "cls", "last", "mean", "weighted_mean" }, ["--pool-normalize"] = { "yes", "no" },
  ["--pool-similarity"] = { "dot", "cosine" }, ["--pool-size"] = { "3" },
  ["--logits"] = { "linear", "softmax", "log_softmax", "unit" }, ["--logits-size"] = { "7" },
  ["--classifier-labels"] = { "1", "65536" }, ["--classifier-activation"] = { "tanh", "relu", "gelu" },
  ["--text-pair"] = { "ask {query}%0a{document}" }, ["--tokenizer-hash"] = { "0123456789abcdef" },
  ["--classifier-scores"] = { "sigmoid", "softmax", "none" },
  ["--classifier-dense-bias"] = { "yes", "no" }, ["--classifier-norm"] = { "yes", "no" },
  ["--logits-transform-bias"] = { "yes", "no" },
  ["--logits-tied"] = { "yes", "no" }, ["--logits-bias"] = { "yes", "no" },
  ["--logits-transform"] = { "relu", "gelu", "gelu_tanh", "silu", "tanh" },
  ["--disentangled-span"] = { "8" }, ["--disentangled-distance"] = { "30" },
  ["--disentangled-terms"] = { "both", "c2p", "p2c" }, ["--disentangled-norm-eps"] = { "1e-7" },
  ["--disentangled-own"] = { "yes", "no" },
  ["--relative-bidirectional"] = { "yes", "no" }, ["--activation"] = { "relu", "none", "q=silu,o=gelu_tanh", "v=none" },
}

-- Words for a flag of a score modifier that has none above: all that it may be, or what its example has.
local function words_of(option)
  if option.value:find("^[%l_]+|[%l_|]+$") then
    local words = {}
    for word in option.value:gmatch("[^|]+") do words[#words + 1] = word end
    return words
  end
  local example = assert(sandbox.read("{ " .. option.example .. " }"))
  return { tostring(example[option.field] or error("no words for " .. option.flag)) }
end

for _, modifier in ipairs(modifiers) do
  for _, field in ipairs(modifier.fields) do WORDS[field.flag] = WORDS[field.flag] or words_of(field) end
end

-- Fields that some fields need beside them: name and value in turn.
local BESIDE = { ["mask.window"] = { "mask.causal", true }, ["mask.window_sides"] = { "mask.window", 3 },
  ["rope.theta"] = { "rope.layout", "half_split" }, ["rope.rotary_dim"] = { "rope.layout", "interleaved" },
  ["rope.positions"] = { "rope.layout", "half_split" },
  ["rope.scaling"] = { "rope.layout", "half_split", "rope.factor", 2 },
  ["rope.factor"] = { "rope.layout", "half_split", "rope.scaling", "linear" },
  ["rope.original_positions"] = { "rope.layout", "half_split", "rope.scaling", "dynamic", "rope.factor", 2 },
  ["qk_norm.eps"] = { "qk_norm.kind", "rms" }, ["disentangled.max_distance"] = { "disentangled.span", 8 },
  ["disentangled.terms"] = { "disentangled.span", 8 }, ["disentangled.norm_eps"] = { "disentangled.span", 8 },
  ["disentangled.own_linears"] = { "disentangled.span", 8 },
  cache_dtype = { "cache", 600 }, matmul = { "d_model", 64 },
  dtype = { "kind", "encoder", "n_layers", 2, "vocab_size", 9, "logits.kind", "linear" },
  d_v = { "kind", "sdpa" }, kind = { "n_layers", 2 },
  ["positions.rows"] = { "positions.kind", "learned" },
  ["positions.padding"] = { "vocab_size", 9, "positions.kind", "learned", "positions.first", 2 },
  ["positions.first"] = { "positions.kind", "learned" }, ["pool.normalize"] = { "pool.kind", "mean" },
  ["pool.similarity"] = { "pool.kind", "mean" },
  ["logits.size"] = { "logits.kind", "linear" }, ["logits.tied"] = { "logits.kind", "linear" },
  ["logits.bias"] = { "logits.kind", "linear" }, ["logits.transform"] = { "logits.kind", "linear" },
  ["logits.scale"] = { "logits.kind", "linear" }, ["logits.softcap"] = { "logits.kind", "linear" },
  ["ffn.fused"] = { "ffn.gated", true }, ["ffn.adapter_scale"] = { "ffn.adapter_rank", 8 },
  ["norm.skips_first"] = { "norm.place", "pre" },
  ["layer.parallel"] = { "norm.place", "pre" },
  ["logits.transform_bias"] = { "logits.kind", "linear", "logits.transform", "gelu" },
  ["classifier.dense_bias"] = { "pool.kind", "cls", "classifier.labels", 2 },
  ["classifier.norm"] = { "pool.kind", "cls", "classifier.labels", 2 },
  ["text_input.pair"] = { "text_input.answers", { 1 }, "logits.kind", "linear" },
  ["pool.size"] = { "pool.kind", "cls" },
  tokenizer = { "vocab_size", 9 }, ["classifier.labels"] = { "pool.kind", "cls" },
  ["dense.sizes"] = { "pool.kind", "cls" }, ["dense.bias"] = { "pool.kind", "cls", "dense.sizes", { 4, 8 } },
  ["dense.activation"] = { "pool.kind", "cls", "dense.sizes", { 4, 8 } },
  ["classifier.scores"] = { "pool.kind", "cls", "classifier.labels", 1 },
  ["classifier.activation"] = { "pool.kind", "mean", "classifier.labels", 3 } }

-- The fields of whole models, and those that only ones with two sides take, or a decoder.
local OF_SIDES = { n_decoder_layers = true, src_vocab_size = true, ["mask.memory"] = true }
local OF_STACKS = {}
for _, block in ipairs(require "ops") do
  for _, field in ipairs(block.fields or {}) do OF_STACKS[field.field] = true end
end

local function reads_back(s)
  local path = folder .. "read_back.lua"
  assert(fs.write_if_changed(path, spec.text(s)) ~= nil)
  local again, errors = spec.read(path)
  if not again then error(table.concat(errors, "\n") .. "\n" .. spec.text(s)) end
  same_spec(again, s)
  fact.equal(spec.text(again), spec.text(s))
end

fact.holds("every flag's values read back from the spec's text", function()
  for _, option in ipairs(spec.options()) do
    for _, word in ipairs(WORDS[option.flag] or error("no words for " .. option.flag)) do
      local value, why = option.parse(word)
      if value == nil then error(option.flag .. " " .. word .. ": " .. tostring(why)) end
      local fields, beside = { [option.field] = value }, BESIDE[option.field]
      local is_layer = value == "mha" or value == "sdpa" -- which has no number of layers
      for i = 1, beside and not is_layer and #beside or 0, 2 do fields[beside[i]] = beside[i + 1] end
      if OF_STACKS[option.field] then
        fields.kind = OF_SIDES[option.field] and "transformer" or "encoder"
        fields.n_layers, fields.vocab_size = fields.n_layers or 2, 7
      end
      reads_back(accepts(fields))
    end
  end
end)

fact.holds("a spec with everything reads back", function()
  reads_back(accepts({
    kind = "mha", name = "all_of_it", d_head = 5, seq_len = "1..9", kv_seq_len = 4, batch = 3, dtype = "f32",
    projections = "qkvo", heads = "split", unroll = 3, n_kv_heads = 1, bias = { q = false }, scale = 1 / 3,
    mask = { causal = "bottom_right", lengths = true }, mask_fill = "-inf", masked_row = "zero",
    outputs = { "attention" }, vocab_size = 9,
    weights = { q_weight = "q", k_weight = "k", v_weight = "v", o_weight = "o", k_bias = "kb", v_bias = "vb",
      o_bias = "ob", embedding = "e", transposed = true },
  }))
end)

fact.holds("text keeps the order of the fields and the shortest numbers", function()
  fact.equal(spec.text(accepts({ unroll = 1, scale = 0.1, mask = { lengths = false, causal = true } })),
    "return {\n  d_model = 8,\n  n_heads = 2,\n  unroll = 1,\n  scale = 0.1,\n"
    .. "  mask = { causal = true, lengths = false },\n}\n")
end)

-- -- Flags ----------------------------------------------------------------------------------------------------------

fact.holds("a word that no flag can take is refused, by the flag or by the field", function()
  for _, option in ipairs(spec.options()) do
    local value, why = option.parse("*/ nonsense")
    local s, errors
    if value ~= nil then
      s, errors = spec.from_fields(fields_with({ [option.field] = value }))
      why = errors and errors[1]
    end
    fact.equal(s, nil)
    fact.contains(why, "found ")
  end
end)

fact.holds("numbers on a command line are decimal under every Lua", function()
  for _, option in ipairs(spec.options()) do
    if option.value == "N" then
      for _, word in ipairs({ "0x8", "8LL", "nan", "inf", " 8", "1e", "", "-", ".", "1.2.3" }) do
        local _, errors = spec.from_fields(fields_with({ [option.field] = option.parse(word) }))
        fact.contains(errors and errors[1], ('found "%s"'):format(word))
      end
    end
  end
end)

fact.holds("every flag has help, a default and a value's name, once", function()
  local seen = {}
  for _, option in ipairs(spec.options()) do
    assert(option.flag:find("^%-%-[a-z-]+$") and option.help and option.default and option.value, option.field)
    assert(not seen[option.flag] and not seen[option.field], option.flag)
    seen[option.flag], seen[option.field] = true, true
  end
end)

fact.finish()
