-- hf_late_interaction_test.lua: --from-hf: folders whose vectors of tokens are compared one by one, as
-- sentence-transformers, PyLate and colbert-ir save them, become fields of a spec, and others are refused by name.
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"

local fact, read, config, refuses = hf.fact, hf.read, hf.config, hf.refuses

if not json.available() then fact.finish() end

local TOKENIZER = [[{"added_tokens": [{"id": 6, "content": "[Q] ", "special": true}, {"id": 5, "content": "[MASK]"}],
"post_processor": {"type": "BertProcessing", "sep": ["x", 1], "cls": ["y", 2]},
"model": {"type": "WordPiece", "vocab": {"a": 0, "\"": 1, "x": 2, "!": 3, "[unused0]": 4, "[unused1]": 6}}}]]

local DENSE = '{"in_features": 8, "out_features": 5, "bias": false, "activation_function": ' ..
  '"torch.nn.modules.linear.Identity"%s}'

-- A folder of modules by their types in short; whole: config_sentence_transformers.json.
local function folder(modules, whole, more)
  local files, list = config(hf.BERT), {}
  for i, kind in ipairs(modules) do
    local type_of = kind == "pylate" and "pylate.models.Dense.Dense" or "sentence_transformers.models." .. kind
    local name = kind == "pylate" and "Dense" or kind
    list[i] = ('{"path": "%s", "type": "%s"}'):format(i == 1 and "" or ("%d_%s"):format(i - 1, name), type_of)
  end
  files["modules.json"] = "[" .. table.concat(list, ", ") .. "]"
  files["1_Dense/config.json"] = DENSE:format("")
  files["config_sentence_transformers.json"] = whole
  files["tokenizer.json"] = TOKENIZER
  files["tokenizer_config.json"] = '{"mask_token": {"content": "[MASK]"}, "model_max_length": 16}'
  for name, content in pairs(more or {}) do files[name] = content end
  return files
end

fact.holds("PyLate's linear, norm, markers, lengths and words that do not count become fields", function()
  local result = assert(read(folder({ "Transformer", "pylate" }, [[{"query_prefix": "[Q] ", "document_prefix":
    "[unused1]", "query_length": 7, "document_length": 12, "attend_to_expansion_tokens": false}]])))
  fact.contains(result.text, 'logits = { kind = "unit", size = 5, bias = false }')
  fact.contains(result.text, "text_input = { query_length = 7, document_length = 12, query_marker = 6, " ..
    "document_marker = 6, expansion = 5, expansion_length = 7, unscored = { 3, 1 } }")
  fact.contains(result.text, 'mask = { tensor = "bool" }')
  fact.equal(result.spec.seq_len.max, 12)
end)

fact.holds("queries are filled with tokens that others see, or not filled, as the folder says", function()
  local result = assert(read(folder({ "Transformer", "pylate" },
    '{"query_length": 7, "attend_to_expansion_tokens": true, "skiplist_words": ["a"]}')))
  fact.contains(result.text, "text_input = { query_length = 7, expansion = 5, expansion_length = 7, unscored = 0 }")
  fact.equal(result.spec.mask_tensor, false)
  result = assert(read(folder({ "Transformer", "pylate" },
    '{"query_length": 7, "do_query_expansion": false, "skiplist_words": []}')))
  fact.contains(result.text, "text_input = { query_length = 7 }")
  fact.equal(result.spec.seq_len.max, 16)
end)

fact.holds("modules of sentence-transformers say the same in their own files", function()
  local files = folder({ "Transformer", "Dense", "MultiVectorMask", "Normalize" },
    '{"similarity_fn_name": "maxsim", "prompts": {"query": "[Q] "}}', {
      ["1_Dense/config.json"] = DENSE:format(', "module_input_name": "token_embeddings"'),
      ["2_MultiVectorMask/config.json"] = '{"skiplist_words": ["x", "nowhere"], "skiplist_tasks": ["document"]}',
      ["3_Normalize/config.json"] = '{"module_input_name": "token_embeddings"}',
      ["sentence_bert_config.json"] = '{"query_length": 9, "document_length": 14, "query_expansion": ' ..
        '{"strategy": "min", "attend": true, "length": 6, "token": "a"}}' })
  local result = assert(read(files))
  fact.contains(result.text, "text_input = { query_length = 9, document_length = 14, expansion = 0, " ..
    'expansion_length = 6, unscored = 2, prompts = { "query=%5bQ%5d " } }')
  fact.equal(result.spec.logits.kind, "unit")
end)

fact.holds("a folder of colbert-ir has its linear in the model's file", function()
  local files = config((hf.BERT:gsub('%["BertModel"%]', '["HF_ColBERT"]')))
  files["tokenizer.json"] = TOKENIZER
  files["tokenizer_config.json"] = '{"mask_token": "[MASK]"}'
  files["artifact.metadata"] = '{"dim": 3, "doc_maxlen": 11, "query_maxlen": 8, "attend_to_mask_tokens": false, ' ..
    '"mask_punctuation": true, "similarity": "cosine"}'
  local result = assert(read(files, { weights = "bert_colbert" }))
  fact.contains(result.text, 'logits = { kind = "unit", size = 3 }')
  fact.contains(result.text, "text_input = { query_length = 8, document_length = 11, query_marker = 4, " ..
    "document_marker = 6, expansion = 5, expansion_length = 8, unscored = { 3, 1 } }")
  files["artifact.metadata"] = '{"dim": 3, "similarity": "l2"}'
  refuses(files, { '/artifact.metadata: similarity is "l2"; expected "cosine": vectors have length one' })
end)

fact.holds("the tensor of the linear is that of its module, or of the map", function()
  local maps = require "import.maps"
  local spec = require "spec"
  local s = assert(spec.from_fields({ kind = "encoder", d_model = 8, n_heads = 2, n_layers = 1, vocab_size = 7,
    seq_len = 8, logits = { kind = "unit", size = 3 } }))
  fact.equal((maps.source(s, maps.get("bert", true), "logits_weight")), "1_Dense.linear.weight")
  fact.equal((maps.source(s, maps.get("bert_colbert", true), "logits_weight")), "linear.weight")
  fact.equal((maps.source(s, { logits_weight = "own" }, "logits_weight")), "own")
end)

fact.holds("what is not made is refused", function()
  refuses(folder({ "Transformer", "Dense" }, "{}"), { "/modules.json: its modules have no Normalize of " ..
    "token_embeddings; expected one: vectors of length one are compared" })
  refuses(folder({ "Transformer", "pylate" }, '{"query_prefix": "[R] "}'),
    { '/config_sentence_transformers.json: query_prefix is "[R] ", which the tokenizer has no token for; expected ' ..
      "one of its tokens" })
  refuses(folder({ "Transformer", "pylate" }, '{"query_prefix": "[Q] ", "prompts": {"query": "[Q] find"}}'),
    { '/config_sentence_transformers.json: prompts.query begins with "[Q] ", as query_prefix does; expected one of ' ..
      "them" })
  refuses(folder({ "Transformer", "pylate" }, '{"model_type": "ColBERT"}',
    { ["1_Dense/config.json"] = DENSE:format(', "use_residual": true') }),
    { "/1_Dense/config.json: use_residual is true; expected false: rows are not added to their vectors" })
  refuses(folder({ "Transformer", "pylate" }, '{"model_type": "ColBERT"}',
    { ["1_Dense/config.json"] = DENSE:gsub("linear.Identity", "activation.Tanh"):format("") }),
    { '/1_Dense/config.json: activation_function is "torch.nn.modules.activation.Tanh"; expected Identity: vectors ' ..
      "of tokens are a linear" })
  refuses(folder({ "Transformer", "Dense", "MultiVectorMask", "Normalize" }, "{}",
    { ["2_MultiVectorMask/config.json"] = '{"keep_only_token_ids": [1], "skiplist_tasks": ["query"]}' }),
    { '/2_MultiVectorMask/config.json: skiplist_tasks is a list; expected ["document"]: all tokens of a query count',
      "/2_MultiVectorMask/config.json: keep_only_token_ids is a list; expected none: tokens of texts count" })
  refuses(folder({ "Transformer", "Dense", "Normalize" }, '{"similarity_fn_name": "meanmaxsim"}'),
    { '/config_sentence_transformers.json: similarity_fn_name is "meanmaxsim"; expected maxsim' })
end)

fact.finish()
