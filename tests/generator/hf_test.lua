-- hf_test.lua: --from-hf: a config.json becomes a spec, field by field, and what is not known is refused by name. What
-- a sentence encoder's folder says in addition is in hf_sentence_test.lua.
local hf = dofile("tests/generator/hf_folders.lua")
local data_files = require "import.data_files"
local from_hf = require "import.from_hf"
local fs = require "base.fs"
local json = require "import.from_hf.json"
local maps = require "import.maps"
local join = require("base.text").join

local fact, read, config, reads = hf.fact, hf.read, hf.config, hf.reads
local refuses, refuses_config = hf.refuses, hf.refuses_config

fact.holds("without its library it names the package", function()
  local loaded, preloaded = package.loaded.dkjson, package.preload.dkjson
  package.loaded.dkjson, package.preload.dkjson = nil, function() error("none") end
  local ok, why = json.available()
  package.loaded.dkjson, package.preload.dkjson = loaded, preloaded
  fact.equal(ok, nil)
  fact.contains(why, "(Debian: lua-dkjson; as root, ./configure --install-deps installs it)")
end)

if not json.available() then fact.finish() end

-- -- What becomes of a config.json ----------------------------------------------------------------------------------

-- The spec that was written has these lines after its kind, name, width and heads, and no path.
local function spec_is(result, ...)
  fact.equal(result.text, result.text:match("^[^\n]*\n") ..
    'return {\n  kind = "encoder",\n  name = "tiny",\n  d_model = 8,\n  n_heads = 2,\n  ' ..
    table.concat({ ... }, ",\n  ") .. ",\n}\n")
  assert(not result.text:find("out/test", 1, true))
end

fact.holds("a BERT", function()
  spec_is(reads(hf.BERT), 'seq_len = "1..20"', "n_layers = 2", 'positions = { kind = "learned", rows = 20 }',
    "token_types = 2", "embedding = { norm = true }", 'norm = { kind = "layer", eps = 1e-12, place = "post" }',
    "d_ff = 12", 'ffn = { activation = "gelu" }', "vocab_size = 7", 'weights = "bert"')
end)

fact.holds("a tokenizer.json is recorded by its hash, where the model takes tokens", function()
  local files = hf.config(hf.BERT)
  files["tokenizer.json"] = "abc"
  local result = hf.read(files)
  fact.equal(result.spec.tokenizer, "008f292c00bcefce")
  fact.contains(result.text, '  tokenizer = "008f292c00bcefce",\n')
  fact.contains(table.concat(result.lines, "\n"), 'tokenizer = "008f292c00bcefce"  (its hash)')
  fact.equal(hf.read(files, { tokenizer = "0123456789abcdef" }).spec.tokenizer, "0123456789abcdef")
  fact.equal(reads(hf.BERT).spec.tokenizer, nil)
end)

fact.holds("a RoBERTa's positions begin after the padding's", function()
  local s = reads(hf.ROBERTA).spec
  fact.equal(s.positions.first, 2)
  fact.equal(s.positions.rows, 20)
  fact.equal(s.seq_len.max, 18)
end)

fact.holds("a DistilBERT with logits of masked words", function()
  local result = reads(hf.DISTILBERT)
  fact.equal(result.spec.token_types, nil)
  fact.equal(result.spec.ffn.activation, "relu")
  fact.contains(result.text, 'logits = { kind = "linear", tied = true, bias = true, transform = "relu" }')
end)

fact.holds("a cross-encoder: a classifier over the first row, its labels and what is made of them", function()
  local bert = hf.BERT:gsub("BertModel", "BertForSequenceClassification")
  local function says(base, more, labels, activation, scores)
    local s = reads(base, more).spec
    fact.equal(("%s %d %s %s"):format(s.pool.kind, s.classifier.labels, s.classifier.activation, s.classifier.scores),
      ("cls %d %s %s"):format(labels, activation, scores))
  end
  says(bert, nil, 2, "tanh", "none")
  says(bert, '"id2label": { "0": "LABEL_0" }', 1, "tanh", "sigmoid")
  says(bert, '"num_labels": 1, "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"', 1, "tanh",
    "none")
  says(bert, '"num_labels": 3, "sentence_transformers": { "version": "4.1.0", ' ..
    '"activation_fn": "torch.nn.modules.activation.Sigmoid" }', 3, "tanh", "sigmoid")
  says(hf.ROBERTA:gsub("RobertaModel", "RobertaForSequenceClassification"), '"num_labels": 1', 1, "tanh", "sigmoid")
  says(hf.DISTILBERT:gsub("DistilBertForMaskedLM", "DistilBertForSequenceClassification"), nil, 2, "relu", "none")
  refuses_config(bert, '"sbert_ce_default_activation_function": "os.system"',
    'sbert_ce_default_activation_function is "os.system"; expected torch.nn.modules.activation.Sigmoid or ' ..
    "torch.nn.modules.linear.Identity")
end)

fact.holds("a GPT-2, its logits tied", function()
  spec_is(reads(hf.GPT2), 'seq_len = "1..20"', "n_layers = 1", 'positions = { kind = "learned", rows = 20 }',
    'norm = { kind = "layer", eps = 1e-05, place = "pre" }', 'ffn = { activation = "gelu_tanh" }',
    'logits = { kind = "linear", tied = true }', "mask = { causal = true }", "vocab_size = 7", 'weights = "gpt2"')
  fact.equal(reads(hf.GPT2).spec.d_ff, 32)
  fact.equal(reads(hf.GPT2, '"scale_attn_weights": false').spec.scale, 1)
  fact.equal(reads((hf.GPT2:gsub("GPT2LMHeadModel", "GPT2Model"))).spec.logits, nil)
end)

fact.holds("a Llama", function()
  spec_is(reads(hf.LLAMA), 'seq_len = "1..20"', "n_layers = 1",
    'norm = { kind = "rms", eps = 1e-05, place = "pre" }', "d_ff = 12",
    'ffn = { activation = "silu", gated = true, bias = false }', 'logits = { kind = "linear", tied = false }',
    "n_kv_heads = 1", "bias = false", "mask = { causal = true }",
    'rope = { layout = "half_split", theta = 500000 }', "vocab_size = 7", 'weights = "llama"')
end)

fact.holds("Qwen-2, Qwen-3 and Mistral in what they have besides", function()
  local bias = reads(hf.QWEN2).spec.bias
  assert(bias.q and bias.k and bias.v and not bias.o)
  local qwen3 = reads(hf.QWEN3).spec
  fact.equal(qwen3.qk_norm.kind .. " " .. qwen3.qk_norm.eps .. " " .. qwen3.d_head, "rms 1e-05 6")
  fact.equal(reads(hf.MISTRAL, '"sliding_window": 5').spec.attention_spec.window, 5)
  fact.equal(reads(hf.MISTRAL, '"sliding_window": null').spec.attention_spec.window, nil)
  fact.equal(reads(hf.MISTRAL).spec.attention_spec.window, 4096)
end)

fact.holds("a Llama whose rows see all others: EuroBERT, and any that says is_causal: false", function()
  local euro = hf.LLAMA:gsub('"llama"', '"eurobert"'):gsub("LlamaForCausalLM", "EuroBertModel")
  local s = reads(euro, '"classifier_pooling": "late", "mask_token_id": 5').spec
  fact.equal(s.attention_spec.causal, false)
  fact.equal(s.attention_spec.rope.theta, 500000)
  fact.equal(s.norm.kind .. " " .. s.norm.place, "rms pre")
  fact.equal(reads((euro:gsub("EuroBertModel", "EuroBertForMaskedLM"))).spec.logits, nil)
  refuses_config(euro, '"is_decoder": true', "is_decoder is true; expected false: its mask would be causal")
  hf.refuses(config((euro:gsub('"rope_theta": 500000.0, ', ""))),
    { "/config.json: rope_parameters.rope_theta is missing, which is rope.theta of a spec" })
  fact.equal(reads(hf.QWEN2, '"is_causal": false').spec.attention_spec.causal, false)
  fact.equal(reads(hf.QWEN2, '"is_causal": true').spec.attention_spec.causal, "top_left")
end)

fact.holds("a Granite's factors are those of a spec", function()
  local said = '"embedding_multiplier": 12.0, "attention_multiplier": 0.25, "residual_multiplier": 0.22, ' ..
    '"logits_scaling": 8.0'
  local granite = hf.LLAMA:gsub('"llama"', '"granite"'):gsub("Llama", "Granite")
  local s = reads(granite, said).spec
  fact.equal(("%g %g %g %g"):format(s.embedding.scale, s.scale_factor, s.layer.residual_scale, s.logits.scale),
    "12 0.25 0.22 0.125")
  refuses_config(granite, '"logits_scaling": 0', "logits_scaling is 0; expected a number above 0")
end)

fact.holds("of a Phi-3's heads a part may rotate, and two linears have one weight", function()
  local phi3 = hf.LLAMA:gsub('"llama"', '"phi3"'):gsub("Llama", "Phi3")
  local s = reads(phi3, '"partial_rotary_factor": 0.5, "sliding_window": 7').spec
  fact.equal(("%d %s %d"):format(s.attention_spec.rope.rotary_dim, s.ffn.fused, s.attention_spec.window), "2 true 7")
  refuses_config(phi3, '"partial_rotary_factor": 1.5', "partial_rotary_factor is 1.5; expected a number up to 1")
end)

fact.holds("some layers of a SmolLM3 have no positions", function()
  local smollm3 = hf.LLAMA:gsub('"llama"', '"smollm3"'):gsub("Llama", "SmolLM3"):gsub('layers": 1', 'layers": 5')
  local function kinds(said)
    local s = reads(smollm3, said).spec
    local plain = s.layer_kinds[2]
    fact.equal(plain and plain.spec.rope, nil)
    return table.concat(s.kind_of_layer or {}, " ")
  end
  fact.equal(kinds(), "0 0 0 1 0")
  fact.equal(kinds('"no_rope_layers": [1, 0, 1, 0, 1]'), "0 1 0 1 0")
  fact.equal(kinds('"no_rope_layers": [1, 1, 1, 1, 1]'), "")
  fact.equal(kinds('"no_rope_layers": null, "no_rope_layer_interval": 2'), "0 1 0 1 0")
  refuses_config(smollm3, '"no_rope_layers": [1]', "no_rope_layers is a list; expected a list of " ..
    "num_hidden_layers (5) numbers")
end)

fact.holds("a ViT's rows are its patches and one more", function()
  local result = reads(hf.VIT)
  fact.equal(result.spec.seq_len.min, 7)
  fact.equal(result.spec.seq_len.max, 7)
  fact.equal(result.spec.logits.size, 3)
  fact.equal(result.spec.bias.k or result.spec.bias.q or result.spec.bias.v, false)
  fact.contains(table.concat(result.lines, "\n"), "note: x is [cls token, projected patches] without positions")
end)

fact.holds("every model type has a fact, and a data file that holds together", function()
  local covered = "bert roberta xlm_roberta camembert distilbert gpt2 llama qwen2 qwen3 mistral vit deit mpnet " ..
    "modernbert eurobert nomic_bert granite phi3 smollm3 gemma gemma2 gemma3_text olmo2 olmo3 t5 new gte " ..
    "gpt_neox deberta_v2 common"
  for _, file in ipairs(assert(fs.list("generator/import/hf"))) do
    local name = file:match("^(.*)%.lua$")
    assert((" " .. covered .. " "):find(" " .. name .. " ", 1, true), file)
    local data = require("import.hf." .. name)
    if name ~= "common" then assert(data.architectures[data.base], file) end
    for _, map in ipairs(data.maps or {}) do assert(maps.get(map, true), map) end
  end
end)

fact.holds("a hyphen of a model type is an underscore of its file", function()
  local base = hf.ROBERTA:gsub('"roberta"', '"xlm-roberta"'):gsub("RobertaModel", "XLMRobertaModel")
  fact.equal(reads(base).spec.positions.first, 2)
  fact.equal(reads(base).spec.positions.padding, 1)
end)

fact.holds("a CamemBERT is a RoBERTa, and a DeiT a ViT with a second token before the patches", function()
  local base = hf.ROBERTA:gsub('"roberta"', '"camembert"'):gsub("RobertaModel", "CamembertModel")
  fact.equal(reads(base).spec.positions.first, 2)
  local result = reads((hf.VIT:gsub('"vit"', '"deit"'):gsub("ViTFor", "DeiTFor")))
  fact.equal(result.spec.seq_len.max, 8)
  fact.equal(result.spec.positions.rows, 8)
  fact.contains(table.concat(result.lines, "\n"), "note: x is [cls token, distillation token, projected patches]")
end)

fact.holds("flags beside the folder win, and the table says so", function()
  local result = reads(hf.BERT, nil, { seq_len = "1..6", name = "mine", ["pool.kind"] = "mean" })
  fact.equal(result.spec.seq_len.max, 6)
  fact.equal(result.spec.name, "mine")
  fact.equal(result.spec.pool.kind, "mean")
  local said = table.concat(result.lines, "\n")
  fact.contains(said, 'seq_len = "1..6"  (as asked for)')
  fact.contains(said, 'pool.kind = "mean"  (as asked for)')
  fact.equal(reads(hf.LLAMA, nil, { cache = 8 }).spec.seq_len.max, 8)
  local from_zero = reads(hf.ROBERTA, nil, { ["positions.first"] = 0 }).spec
  fact.equal(from_zero.seq_len.max, 20)
  fact.equal(from_zero.positions.padding, nil)
end)

fact.holds("the architecture may be another than the file's", function()
  fact.equal(reads(hf.LLAMA, nil, nil, { architecture = "LlamaModel" }).spec.logits, nil)
  refuses_config((hf.BERT:gsub("BertModel", "BertForMultipleChoice")), nil,
    'architecture "BertForMultipleChoice" is not one that is made: BertForMaskedLM, BertForPreTraining, ' ..
    "BertForSequenceClassification, BertForTokenClassification, BertModel and HF_ColBERT; --hf-architecture " ..
    "BertModel leaves out everything after the stack")
end)

fact.holds("a name comes from the folder's, in a cache of Hugging Face's from the model's", function()
  local names = { ["all-MiniLM-L6-v2"] = "all_minilm_l6_v2", ["7b"] = "m_7b", ["int"] = "bert_8", ["..."] = "bert_8",
    ["paraphrase-multilingual-MiniLM-L12-v2"] = "paraphrase_multilingual_minilm_l12_v2",
    [("x-"):rep(60)] = ("x_"):rep(47) .. "x",
    ["models--org--Big.Bert/snapshots/8b3219a92973"] = "big_bert" }
  for folder, name in pairs(names) do
    local path = fact.folder("hf/" .. folder)
    assert(fs.write_if_changed(path .. "config.json", config(hf.BERT)["config.json"]) ~= nil)
    fact.equal(assert(from_hf(path, {}, { ignored = {} })).spec.name, name)
  end
end)

-- -- What is refused ------------------------------------------------------------------------------------------------

local KNOWN = data_files("generator/import/hf")

fact.holds("a model type without a file is refused with those there are", function()
  refuses(config('"model_type": "berd"'), { '/config.json: model_type is "berd"; expected one of ' ..
    join(KNOWN, "or") .. "; did you mean bert?" })
  local near = "; specs/%s.lua comes near: edit a copy for --spec (docs/spec.md)"
  for other, step in pairs({ albert = near:format("bert_base"), bart = near:format("transformer"), hubert = "" }) do
    refuses(config(('"model_type": "%s"'):format(other)), { "/config.json: " .. other .. " is a model type of " ..
      "transformers that genattn does not read; it reads " .. join(KNOWN) .. step })
  end
  for _, word in ipairs({ '"../hf/bert"', '"common"', "7", "null", '["bert"]' }) do
    local result, errors = read(config('"model_type": ' .. word))
    fact.equal(result, nil)
    fact.contains(errors[1], "expected one of bert, ")
  end
end)

fact.holds("what a model does and a spec does not say is refused by name", function()
  local cases = {
    { hf.BERT, '"hidden_act": "quick_gelu"', 'hidden_act is "quick_gelu"; expected one of gelu, gelu_accurate, ' ..
      "gelu_fast, gelu_new, gelu_python, gelu_pytorch_tanh, relu, silu, swish, tanh" },
    { hf.BERT, '"position_embedding_type": "relative_key"',
      'position_embedding_type is "relative_key"; expected "absolute": positions are added to rows, not to scores' },
    { hf.BERT, '"is_decoder": true', "is_decoder is true; expected false: its mask would be causal" },
    { hf.BERT, '"add_cross_attention": true',
      "add_cross_attention is true; expected false: its layers would look at another sequence too" },
    { hf.BERT, '"is_encoder_decoder": true', "is_encoder_decoder is true; expected false: the model is one stack" },
    { hf.BERT, '"pruned_heads": { "1": [0] }',
      "pruned_heads is an object; expected none: all layers have the same heads" },
    { hf.BERT, '"quantization_config": { "bits": 4 }',
      "quantization_config is an object; expected none: weights are read as they are, not unpacked" },
    { hf.GPT2, '"scale_attn_by_inverse_layer_idx": true', "scale_attn_by_inverse_layer_idx is true; expected false: " ..
      "all layers share their code, and their scale" },
    { hf.GPT2, '"reorder_and_upcast_attn": true',
      "reorder_and_upcast_attn is true; expected false: scores are scaled after the product" },
    { hf.LLAMA, '"partial_rotary_factor": 0.5', "partial_rotary_factor is 0.5; expected 1: all of a head turns" },
    { hf.LLAMA, '"pretraining_tp": 2', "pretraining_tp is 2; expected 1: products are not cut in parts" },
    { hf.QWEN2, '"use_sliding_window": true',
      "use_sliding_window is true; expected false: all layers see the same keys" },
    { hf.QWEN2, '"layer_types": ["full_attention", "sliding_attention"]',
      'layer_types not everywhere "full_attention"; expected "full_attention": all layers see the same keys' },
    { hf.VIT:gsub('"patch_size": 8', '"patch_size": 20'), nil,
      "image_size is a list; expected at least patch_size (20)",
      "image_size is a list; expected at least patch_size (20)" },
  }
  for _, case in ipairs(cases) do refuses_config(case[1], case[2], case[3], case[4]) end
end)

fact.holds("what may change something and is not known is refused, unless it is to be ignored", function()
  refuses_config(hf.BERT, '"frobnicate": 2', "what frobnicate (2) changes in a bert is not known; where it changes " ..
    "no result, --hf-ignore frobnicate goes on without it")
  refuses_config((hf.LLAMA:gsub(', "rope_scaling": null', "")), '"rope_scaling": { "type": "default", "factor": 2.5 }',
    "rope_scaling.factor is 2.5; expected none: rotary positions are not scaled")
  refuses_config(hf.LLAMA, '"sliding_window": 512', "sliding_window is 512; expected none: all layers see the " ..
    "same keys")
  refuses_config(hf.BERT, '"attn_logit_softcapping": 50', "attn_logit_softcapping is 50; expected none: scores are " ..
    "not capped")
  reads(hf.BERT, '"attn_logit_softcapping": null, "alibi": false')
  reads(hf.BERT, '"frobnicate": null, "empty": {}, "auto_map": { "AutoModel": "x.Model" }')
  reads(hf.BERT, '"frobnicate": 2, "is_decoder": true', nil, { ignored = { frobnicate = true, is_decoder = true } })
  local scaled = '"rope_scaling": { "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0 }'
  reads((hf.LLAMA:gsub(', "rope_scaling": null', "")), scaled, nil, { ignored = { rope_scaling = true } })
end)

-- The table rope of the spec of a Llama with this scaling.
local function rope_of(said, given)
  local rope = reads((hf.LLAMA:gsub(', "rope_scaling": null', "")), said, given).spec.rope
  return ("%s %s %s"):format(rope.scaling, rope.factor, rope.original_positions), rope
end

fact.holds("scaled rotary positions are read from either release of transformers", function()
  for _, object in ipairs({ "rope_scaling", "rope_parameters" }) do
    fact.equal(rope_of(('"%s": { "rope_type": "linear", "factor": 2 }'):format(object)), "linear 2 nil")
    local text, rope = rope_of(('"%s": { "rope_type": "llama3", "factor": 8.5, "low_freq_factor": 2, ' ..
      '"high_freq_factor": 6, "original_max_position_embeddings": 12, "rope_theta": 7 }'):format(object))
    fact.equal(text, "llama3 8.5 12")
    fact.equal(("%s %s %s"):format(rope.slow_turns, rope.fast_turns, rope.theta), "2 6 7")
  end
  fact.equal(rope_of('"rope_scaling": { "rope_type": "dynamic", "type": "dynamic", "factor": 3 }'), "dynamic 3 20")
  local text, rope = rope_of('"rope_scaling": { "type": "yarn", "factor": 4, "beta_fast": 9, "truncate": false, ' ..
    '"attention_factor": 1.5 }')
  fact.equal(text, "yarn 4 20")
  fact.equal(("%s %s %s"):format(rope.fast_turns, rope.truncate, rope.attention_factor), "9 false 1.5")
end)

fact.holds("longrope takes the factor that the lengths say, and the divisors of the longest sequence", function()
  local said = '"original_max_position_embeddings": 8, "rope_scaling": { "type": "su", "short_factor": [1, 2], ' ..
    '"long_factor": [3, 4] }'
  local text, rope = rope_of(said)
  fact.equal(text, "longrope 2.5 8")
  fact.equal(rope.is_long, true)
  text, rope = rope_of(said, { seq_len = "1..8" })
  fact.equal(text, "longrope 2.5 8")
  fact.equal(rope.is_long, false)
end)

fact.holds("what a kind of scaling does not use is refused by name", function()
  local base = hf.LLAMA:gsub(', "rope_scaling": null', "")
  refuses_config(base, '"rope_scaling": { "rope_type": "llama4" }', 'rope_scaling.rope_type is "llama4"; expected ' ..
    "one of default, linear, dynamic, yarn, longrope, llama3")
  refuses_config(base, '"rope_scaling": { "type": "linear", "factor": 1, "attention_factor": 2 }',
    "rope_scaling.attention_factor is 2; expected none: scaling of type linear does not use it")
  refuses_config(base, '"rope_parameters": { "rope_type": "default", "beta_fast": 2 }',
    "rope_parameters.beta_fast is 2; expected none: rotary positions are not scaled")
  refuses_config(base, '"rope_scaling": { "type": "dynamic", "factor": 2, "original_max_position_embeddings": 9 }',
    "rope_scaling.original_max_position_embeddings is 9; expected 20, as max_position_embeddings: dynamic scaling " ..
    "counts from it")
  refuses_config(base, '"rope_scaling": { "type": "yarn", "factor": 2, "mscale": 1 }',
    "rope_scaling.mscale is 1; expected none: the attention factor is computed from factor alone")
end)

fact.holds("all that is wrong is said at once", function()
  refuses_config((hf.BERT:gsub('"hidden_size": 8', '"hidden_size": "8"')), '"is_decoder": true, "z": 1',
    'hidden_size is "8": d_model must be a whole number from 1 to 65536, found "8"',
    "is_decoder is true; expected false: its mask would be causal",
    "what z (1) changes in a bert is not known; where it changes no result, --hf-ignore z goes on without it")
  refuses_config((hf.BERT:gsub('"vocab_size": 7, ', "")), nil, "vocab_size is missing, which is vocab_size of a spec")
  refuses_config((hf.BERT:gsub('"num_attention_heads": 2', '"num_attention_heads": 3')), nil,
    "d_model (8) is not a multiple of n_heads (3)")
end)

-- -- Files that are none --------------------------------------------------------------------------------------------

fact.holds("a config.json that is none is refused by file, line and column", function()
  local function refuses_text(text, ...) refuses({ ["config.json"] = text }, { ... }) end
  refuses_text("", "/config.json: no JSON at line 1, column 1: found the end; expected a value")
  refuses_text("[1]", "/config.json: found a list; expected an object")
  local cases = {
    { '{"a": 1', "1, column 8: found the end; expected a comma or }" },
    { '{"a": tru}', '1, column 7: "tru", which is not a JSON value' },
    { "{} {}", '1, column 4: found "{"; expected nothing more' },
    { "{1}", '1, column 2: found "1"; expected a name or }' },
    { '{"a":\n["b": 1]}', '2, column 5: found ":"; expected a comma or ]' },
    { "{7: 1}", '1, column 2: found "7"; expected a name or }' },
    { '{"a": 1,\n "b": [1, 2], }', "2, column 15: a comma before }, which JSON does not have" },
    { '{"a": [1,]}', "1, column 10: a comma before ], which JSON does not have" },
    { '{"a": [,1]}', '1, column 8: found ","; expected a value or ]' },
    { '{\n  // a note\n}', "2, column 3: a comment, which JSON does not have" },
    { '{"a": 1 /* 2 */}', "1, column 9: a comment, which JSON does not have" },
    { '{"a": 01}', "1, column 7: a number that JSON does not have" },
    { '{"a": 1.}', "1, column 7: a number that JSON does not have" },
    { '{"a": +1}', '1, column 7: found "+"; expected a value' },
    { '{"a": "b\n"}', "1, column 9: a control character in a string" },
    { '{"a": "\\x41"}', "1, column 8: an escape that JSON does not have" },
    { '{"a": "b}', "1, column 7: a string without an end" },
    { "{'a': 1}", "1, column 2: found \"'\"; expected a name or }" },
    { ("["):rep(300000), "1, column 101: nested deeper than 100" },
  }
  for _, case in ipairs(cases) do refuses_text(case[1], "/config.json: no JSON at line " .. case[2]) end
  refuses_text("{" .. (" "):rep(2 ^ 24), "/config.json: longer than 16777216 bytes, which none is")
  local _, errors = from_hf("out/test/generator/no-such-folder", {}, { ignored = {} })
  fact.contains(errors[1], "out/test/generator/no-such-folder: there is no such folder; expected ")
end)

fact.holds("names and values of hostile files do not reach the terminal", function()
  local _, errors = read(config(hf.BERT, '"\\u001b[2J": "\\u001b]0;x\\u0007"'))
  fact.equal(#errors, 1)
  assert(not errors[1]:find("%c"))
end)

fact.finish()
