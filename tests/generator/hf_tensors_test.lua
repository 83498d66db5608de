-- hf_tensors_test.lua: --from-hf: the tensors of a model folder, by its safetensors files' headers, held against the
-- spec: which map, what is not read, what is refused. The files have zeros for weights.
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"
local map_sources = require "plan.maps"
local maps = require "import.maps"
local spec = require "spec"

local fact, read, config, reads, refuses = hf.fact, hf.read, hf.config, hf.reads, hf.refuses

fact.holds("a folder needs a library to be read with, or the facts below are left out", function()
  fact.equal(type(json.available), "function")
end)
if not json.available() then fact.finish() end

-- -- Tensors --------------------------------------------------------------------------------------------------------

-- The safetensors file of these { name, shape, dtype (F32) }.
local function safetensors(list)
  local entries, at = {}, 0
  for i, tensor in ipairs(list) do
    local elements = 1
    for _, size in ipairs(tensor[2]) do elements = elements * size end
    entries[i] = ('"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}'):format(tensor[1], tensor[3] or "F32",
      table.concat(tensor[2], ","), at, at + 4 * elements)
    at = at + 4 * elements
  end
  local header = "{" .. table.concat(entries, ",") .. "}"
  return string.char(#header % 256, math.floor(#header / 256) % 256, math.floor(#header / 65536), 0, 0, 0, 0, 0) ..
    header .. ("\0"):rep(at)
end

-- The tensors of a spec under a map and a prefix, each once, with `more` after them.
local function tensors_of(base, map, prefix, more)
  local fields = {}
  for _, entry in ipairs(reads(base).spec.given) do fields[entry.field] = entry.value end
  fields.weights, fields.weights_prefix = map, prefix
  local list, seen = {}, {}
  for _, source in ipairs(map_sources(assert(spec.from_fields(fields)), maps.get(map, true))) do
    if not seen[source.tensor] then list[#list + 1] = { source.tensor, source.shape } end
    seen[source.tensor] = true
  end
  for _, tensor in ipairs(more or {}) do list[#list + 1] = tensor end
  return list
end

local function with_tensors(base, list, more)
  local files = config(base, more)
  files["model.safetensors"] = type(list) == "string" and list or safetensors(list)
  return files
end

local function reads_tensors(base, list, options)
  local result, errors = read(with_tensors(base, list), nil, options)
  if not result then error(table.concat(errors, "\n"), 2) end
  return result, table.concat(result.lines, "\n")
end

fact.holds("tensors tell the map and the prefix, and what is not read is said", function()
  local result, said = reads_tensors(hf.BERT, tensors_of(hf.BERT, "bert", nil, { { "pooler.dense.weight", { 8, 8 } } }))
  fact.equal(result.spec.weights_prefix, nil)
  fact.contains(said, "model.safetensors: all 37 tensors of map bert are there, F32")
  fact.contains(said, "not read, pooler.dense.weight: the pooler")
  local head = { { "cls.predictions.bias", { 7 } } }
  result, said = reads_tensors(hf.BERT, tensors_of(hf.BERT, "bert_gamma", "bert.", head))
  fact.equal(result.spec.weights, "bert_gamma")
  fact.equal(result.spec.weights_prefix, "bert.")
  fact.contains(said, "all 37 tensors of map bert_gamma after bert. are there")
  result = reads_tensors(hf.LLAMA, tensors_of(hf.LLAMA, "llama", "model."))
  fact.equal(result.spec.weights_prefix, "model.")
  head = { { "transformer.h.0.attn.bias", { 1, 1, 20, 20 } }, { "lm_head.weight", { 7, 8 } } }
  reads_tensors(hf.GPT2, tensors_of(hf.GPT2, "gpt2", "transformer.", head))
end)

fact.holds("a classifier's linears stand beside the model, but a BERT's first, which is its pooler", function()
  local function classifies(base, more) return base:gsub("%u%a+Model\"", more .. 'ForSequenceClassification"') end
  local bert, roberta = classifies(hf.BERT, "Bert"), classifies(hf.ROBERTA, "Roberta")
  local list = tensors_of(bert, "bert", "bert.")
  local last = {}
  for i = 1, 4 do last[i] = list[#list - 4 + i][1] end
  fact.lists_equal(last, { "bert.pooler.dense.weight", "bert.pooler.dense.bias", "classifier.weight",
    "classifier.bias" })
  fact.equal(reads_tensors(bert, list).spec.weights_prefix, "bert.")
  list = tensors_of(roberta, "roberta", "roberta.")
  for i = 1, 4 do last[i] = list[#list - 4 + i][1] end
  fact.lists_equal(last, { "classifier.dense.weight", "classifier.dense.bias", "classifier.out_proj.weight",
    "classifier.out_proj.bias" })
  local result = reads_tensors(roberta, list)
  fact.equal(result.spec.weights .. " " .. result.spec.weights_prefix, "roberta roberta.")
  list[#list - 1][2] = { 3, 8 }
  refuses(with_tensors(roberta, list), { '/model.safetensors: tensor "classifier.out_proj.weight" has shape [3, 8]; ' ..
    "map roberta expects [2, 8] for classifier_weight" })
  fact.equal(reads_tensors(hf.ROBERTA, tensors_of(hf.ROBERTA, "bert", "roberta.")).spec.weights, "bert")
end)

fact.holds("logits of masked words: a transform of the activation, and the embedding's weight", function()
  local function words(base, more) return reads((base:gsub("Model\"", 'ForMaskedLM"')), more).spec.logits end
  local function says(logits, transform, tied)
    fact.equal(("%s %s %s %d"):format(logits.kind, logits.transform, tostring(logits.bias), logits.size),
      "linear " .. transform .. " true 7")
    fact.equal(logits.tied, tied)
  end
  says(words(hf.BERT, '"hidden_act": "gelu_new"'), "gelu_tanh", true)
  says(words(hf.BERT, '"tie_word_embeddings": false'), "gelu", false)
  says(words(hf.ROBERTA, '"hidden_act": "silu"'), "gelu", true)
  says(words((hf.ROBERTA:gsub('"roberta"', '"xlm-roberta"'):gsub('"Roberta', '"XLMRoberta'))), "gelu", true)
  says(words((hf.ROBERTA:gsub('"roberta"', '"camembert"'):gsub('"Roberta', '"Camembert'))), "gelu", true)
  says(words(hf.DISTILBERT), "relu", true)
  local result = reads((hf.BERT:gsub("BertModel", "BertForPreTraining")))
  says(result.spec.logits, "gelu", true)
  fact.contains(table.concat(result.lines, "\n"), "note: without its head for next sentences")
end)

fact.holds("what makes logits of masked words stands beside the model, and tied ones have their embedding's weight",
  function()
    local tied = '"tie_word_embeddings": %s'
    local function last_of(base, map, prefix, is_tied, wanted)
      base = base:gsub("Model\"", 'ForMaskedLM"') .. ", " .. tied:format(is_tied)
      local list, last = tensors_of(base, map, prefix), {}
      for i = 1, #wanted do last[i] = list[#list - #wanted + i][1] end
      fact.lists_equal(last, wanted)
      return base, list
    end
    local base, list = last_of(hf.BERT, "bert_gamma", "bert.", true, { "cls.predictions.transform.dense.weight",
      "cls.predictions.transform.dense.bias", "cls.predictions.transform.LayerNorm.gamma",
      "cls.predictions.transform.LayerNorm.beta", "cls.predictions.bias" })
    list[#list + 1] = { "cls.predictions.decoder.weight", { 7, 8 } }
    list[#list + 1] = { "cls.seq_relationship.weight", { 2, 8 } }
    local result, said = reads_tensors(base, list)
    fact.equal(result.spec.weights .. " " .. result.spec.weights_prefix, "bert_gamma bert.")
    fact.contains(said, "not read, cls.predictions.decoder.weight: the embedding and its bias once more")
    fact.contains(said, "not read, cls.seq_relationship.weight: heads that are not made")
    base, list = last_of(hf.ROBERTA, "roberta", "roberta.", true, { "lm_head.layer_norm.bias", "lm_head.bias" })
    fact.equal(reads_tensors(base, list).spec.weights, "roberta")
    base, list = last_of(hf.ROBERTA, "roberta", "roberta.", false, { "lm_head.layer_norm.bias",
      "lm_head.decoder.weight", "lm_head.decoder.bias" })
    list[#list + 1] = { "lm_head.bias", { 7 } }
    said = select(2, reads_tensors(base, list))
    fact.contains(said, "not read, lm_head.bias: the bias of tied logits")
    table.remove(list, #list - 1) -- as transformers 4 saves it: the bias of both under one name
    result, said = reads_tensors(base, list)
    fact.equal(result.spec.weights .. " " .. result.spec.weights_prefix, "roberta_one_bias roberta.")
    fact.equal(said:find("not read", 1, true), nil)
    base, list = last_of(hf.BERT, "bert_one_bias", "bert.", false, { "cls.predictions.decoder.weight",
      "cls.predictions.bias" })
    fact.equal(reads_tensors(base, list).spec.weights, "bert_one_bias")
    list[#list + 1] = { "cls.predictions.decoder.bias", { 7 } }
    fact.equal(reads_tensors(base, list).spec.weights, "bert")
    last_of(hf.DISTILBERT, "distilbert", "distilbert.", false, { "vocab_projector.weight", "vocab_projector.bias" })
    last_of(hf.DISTILBERT, "distilbert", "distilbert.", true, { "vocab_transform.weight", "vocab_transform.bias",
      "vocab_layer_norm.weight", "vocab_layer_norm.bias", "vocab_projector.bias" })
  end)

fact.holds("an axis of one in front is none, and types that are no floats are told", function()
  local list = tensors_of(hf.VIT, "vit", "vit.")
  list[1][2] = { 1, 7, 8 }
  reads_tensors(hf.VIT, list)
  list[2][3] = "BF16"
  local _, said = reads_tensors(hf.VIT, list)
  fact.contains(said, "are there, BF16 and F32")
  fact.equal(said:find("the loader takes", 1, true), nil)
  list[2][3] = "I32"
  _, said = reads_tensors(hf.VIT, list)
  fact.contains(said, "note: the loader takes F32, F16, BF16 and F64, not I32")
end)

fact.holds("tensors that are missing, misshapen or too many are refused by name", function()
  local list = tensors_of(hf.BERT, "bert")
  list[1][2] = { 7, 9 }
  list[#list] = nil
  refuses(with_tensors(hf.BERT, list), {
    '/model.safetensors: no tensor "encoder.layer.1.output.LayerNorm.bias", which map bert expects as [8] for ' ..
    "layers.1.ffn_norm_bias",
    '/model.safetensors: tensor "embeddings.word_embeddings.weight" has shape [7, 9]; map bert expects [7, 8] for ' ..
    "embedding",
  })
  list = tensors_of(hf.BERT, "bert", nil, { { "encoder.layer.2.adapter", { 1 } } })
  refuses(with_tensors(hf.BERT, list), { '/model.safetensors: nothing reads tensor "encoder.layer.2.adapter", and ' ..
    "what it is for is not known; where it changes no result, --hf-ignore encoder.layer.2.adapter goes on without it" })
  reads_tensors(hf.BERT, list, { ignored = { ["encoder.layer.2"] = true } })
  list = tensors_of(hf.LLAMA, "llama", nil, { { "layers.0.self_attn.q_proj.bias", { 8 } } })
  refuses(with_tensors(hf.LLAMA, list), { '/model.safetensors: tensor "layers.0.self_attn.q_proj.bias" is ' ..
    "layers.0.q_bias under map llama, which the spec leaves out" })
end)

fact.holds("many of a kind are counted", function()
  local _, errors = read(with_tensors(hf.BERT, {}))
  fact.equal(#errors, 5)
  fact.contains(errors[5], "/model.safetensors: and 33 more like this")
end)

fact.holds("a folder without safetensors is taken at its config's word, and a pickle is never read", function()
  fact.contains(table.concat(reads(hf.BERT).lines, "\n"), "so names of weights are not checked")
  local files = config(hf.BERT)
  files["pytorch_model.bin"] = "x"
  fact.contains(table.concat(assert(read(files)).lines, "\n"), "pytorch_model.bin is never read")
  fact.contains(table.concat(assert(read(files)).lines, "\n"), "import BertModel as M; M.from_pretrained('out/test/")
end)

fact.holds("a safetensors file that is none is refused", function()
  local function refuses_file(content, message)
    refuses(with_tensors(hf.BERT, content), { "/model.safetensors: " .. message })
  end
  local function entry(text)
    local header = '{"a":' .. text .. "}"
    return string.char(#header, 0, 0, 0, 0, 0, 0, 0) .. header .. "1234"
  end
  refuses_file("abc", "has 3 bytes; a safetensors file starts with 8 for a length")
  refuses_file("version https://git-lfs.github.com/spec/v1\n", "is what git keeps in place of the file; 'git lfs " ..
    "pull' gets the file itself")
  refuses_file(("\255"):rep(9), "header of 18446744073709551616 bytes; at most 1048576 are read")
  refuses_file("\9\0\0\0\0\0\0\0{}", "header of 9 bytes in a file of 10: it is cut short")
  refuses_file("\2\0\0\0\0\0\0\0{]", 'header: no JSON at line 1, column 2: found "]"; expected a name or }')
  refuses_file(entry("7"), 'tensor "a": found 7; expected an object')
  refuses_file(entry('{"dtype":7}'), 'tensor "a": dtype is 7; expected a word like F32')
  refuses_file(entry('{"dtype":"F32","shape":[-1]}'),
    'tensor "a": shape is a list; expected a list of at most 8 whole numbers')
  refuses_file(entry('{"dtype":"F32","shape":[1],"data_offsets":[4,0]}'),
    'tensor "a": data_offsets is a list; expected two whole numbers, the lower one first')
  refuses_file(entry('{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'),
    'tensor "a": data_offsets end at 8, but the file has 4 bytes of data: it is cut short')
end)

-- -- Shards ---------------------------------------------------------------------------------------------------------

local function sharded(index, shards)
  local files = config(hf.BERT)
  files["model.safetensors.index.json"] = index
  for name, list in pairs(shards or {}) do files[name] = safetensors(list) end
  return files
end

fact.holds("shards are read as their index has them", function()
  local list, parts, places = tensors_of(hf.BERT, "bert"), { {}, {} }, {}
  for i, tensor in ipairs(list) do
    table.insert(parts[i % 2 + 1], tensor)
    places[i] = ('"%s": "part-%d.safetensors"'):format(tensor[1], i % 2 + 1)
  end
  local index = '{"weight_map": {' .. table.concat(places, ", ") .. "}}"
  local shards = { ["part-1.safetensors"] = parts[1], ["part-2.safetensors"] = parts[2] }
  local said = table.concat(assert(read(sharded(index, shards))).lines, "\n")
  fact.contains(said, "model.safetensors.index.json: all 37 tensors of map bert are there, F32")
  fact.contains(said, "note: in 2 files: --weights takes the folder")
  table.insert(parts[2], { "extra", { 1 } })
  refuses(sharded(index, shards), { '/model.safetensors.index.json: does not list "extra" of ' ..
    "out/test/generator/hf/tiny/part-2.safetensors" })
end)

fact.holds("an index that lies is refused", function()
  local where = "/model.safetensors.index.json: "
  local one = { ["a.safetensors"] = { { "a", { 1 } } }, ["b.safetensors"] = { { "b", { 1 } } } }
  refuses(sharded("{}"), { where .. "weight_map is missing; expected an object" })
  for _, name in ipairs({ '"../a.safetensors"', '"/etc/passwd"', "7", '"a/b.safetensors"', '".safetensors"' }) do
    local _, errors = read(sharded('{"weight_map": {"a": ' .. name .. "}}"))
    fact.contains(errors[1], "expected a name like model-00001-of-00002.safetensors")
  end
  refuses(sharded('{"weight_map": {"a": "absent.safetensors"}}'),
    { where .. "its shard absent.safetensors is missing; expected it in the folder of the index" })
  refuses(sharded('{"weight_map": {"a": "a.safetensors", "c": "b.safetensors"}}', one),
    { '/b.safetensors: no tensor "c", which out/test/generator/hf/tiny/model.safetensors.index.json puts there' })
  refuses(sharded('{"weight_map": {"a": "b.safetensors", "b": "a.safetensors"}}', one), { where .. 'puts "a" into ' ..
    "out/test/generator/hf/tiny/b.safetensors, but it is in out/test/generator/hf/tiny/a.safetensors" })
  one["b.safetensors"] = { { "a", { 1 } } }
  refuses(sharded('{"weight_map": {"a": "a.safetensors", "b": "b.safetensors"}}', one),
    { '/b.safetensors: tensor "a" is in out/test/generator/hf/tiny/a.safetensors too' })
end)

fact.finish()
