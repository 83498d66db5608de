-- hf_texts_test.lua: --from-hf: what a folder says of texts beside its config.json, as sentence-transformers takes
-- it (version 6.2).
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"

local fact = hf.fact

if not json.available() then fact.finish() end

local MODULES = '[{"path": "", "type": "sentence_transformers.models.Transformer"}, ' ..
  '{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]'
local MAX = '{"model_max_length": %s}'
local NONE = "1000000000000000019884624838656" -- as transformers writes that there is none

-- The files of a sentence encoder, and others by name.
local function encoder(others, base)
  local files = hf.config(base or hf.BERT)
  files["modules.json"], files["1_Pooling/config.json"] = MODULES, '{"pooling_mode_mean_tokens": true}'
  for name, content in pairs(others) do files[name] = content end
  return files
end

local function spec_of(files, given)
  local result, errors = hf.read(files, given)
  if not result then error(table.concat(errors, "\n"), 2) end
  return result.spec
end

fact.holds("of a model whose rows sentence-transformers pools the stack alone is taken", function()
  local function read_as(class, options)
    local result = assert(hf.read(encoder({}, (hf.BERT:gsub("BertModel", class))), nil, options))
    return result.spec, table.concat(result.lines, "\n")
  end
  local NOTE = "note: the stack of a %s, whose rows sentence-transformers pools"
  for _, class in ipairs({ "BertForMaskedLM", "BertForSequenceClassification" }) do
    local s, said = read_as(class)
    fact.equal(s.pool.kind, "mean")
    fact.equal(s.logits or s.classifier, nil)
    fact.contains(said, NOTE:format(class))
  end
  local _, said = read_as("BertModel")
  fact.equal(said:find("the stack of a", 1, true), nil)
  fact.equal(read_as("BertModel", { architecture = "BertForMaskedLM" }).logits.transform, "gelu")
end)

fact.holds("truncate_dim makes embeddings shorter", function()
  local function size(dim, more)
    local files = { ["config_sentence_transformers.json"] = '{"truncate_dim": ' .. dim .. "}" }
    for name, content in pairs(more or {}) do files[name] = content end
    local s = spec_of(encoder(files))
    return s.pool.size, s.d_embedding
  end
  fact.equal(size("5"), 5)
  fact.equal(select(2, size("5")), 5)
  for _, dim in ipairs({ "null", "8", "99" }) do fact.equal(size(dim), nil) end
end)

-- -- How long a text may be -----------------------------------------------------------------------------------------

fact.holds("the length is that of the first module's config, else the tokenizer's, and never beyond the positions",
  function()
    local cases = { -- the module's config, that of the tokenizer, the longest text
      { nil, MAX:format(6), 6 }, { "{}", MAX:format(6), 6 }, { '{"max_seq_length": null}', MAX:format(6), 6 },
      { '{"max_seq_length": 5}', MAX:format(6), 5 }, { '{"max_seq_length": 7}', MAX:format(6), 7 },
      { '{"max_seq_length": 5, "processor_kwargs": {"model_max_length": 4}}', nil, 4 },
      { '{"tokenizer_args": {"model_max_length": 3}, "processor_kwargs": {"model_max_length": 4}}', nil, 3 },
      { '{"processing_kwargs": {"text": {"max_length": 2}}, "processor_kwargs": {"model_max_length": 4}}', nil, 2 },
      { nil, MAX:format(NONE), 20 }, { nil, MAX:format("null"), 20 }, { nil, "{}", 20 }, { nil, MAX:format(99), 20 },
      { '{"max_seq_length": 99}', MAX:format(6), 20 },
    }
    for _, case in ipairs(cases) do
      local files = { ["sentence_bert_config.json"] = case[1], ["tokenizer_config.json"] = case[2] }
      fact.equal(spec_of(encoder(files)).seq_len.max, case[3])
    end
    fact.equal(spec_of(encoder({ ["tokenizer_config.json"] = MAX:format(20) }, hf.ROBERTA)).seq_len.max, 18)
    fact.equal(spec_of(encoder({ ["tokenizer_config.json"] = MAX:format(6) }), { seq_len = "1..9" }).seq_len.max, 9)
  end)

fact.holds("the first module's config has one of seven names, of which the first that is not empty is taken", function()
  for _, name in ipairs({ "bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet" }) do
    local file = ("sentence_%s_config.json"):format(name)
    fact.equal(spec_of(encoder({ [file] = '{"max_seq_length": 5}' })).seq_len.max, 5)
  end
  local both = { ["sentence_roberta_config.json"] = '{"max_seq_length": 5}',
    ["sentence_xlnet_config.json"] = '{"max_seq_length": 4}' }
  fact.equal(spec_of(encoder(both)).seq_len.max, 5)
  both["sentence_bert_config.json"] = "{}"
  fact.equal(spec_of(encoder(both)).seq_len.max, 5)
end)

fact.holds("a first module in a folder of its own has its files there", function()
  local files = encoder({ ["0_Transformer/config.json"] = "{" .. hf.BERT .. "}",
    ["0_Transformer/tokenizer_config.json"] = MAX:format(6), ["tokenizer_config.json"] = MAX:format(5),
    ["modules.json"] = (MODULES:gsub('""', '"0_Transformer"', 1)) })
  fact.equal(spec_of(files).seq_len.max, 6)
end)

fact.holds("without modules.json the tokenizer's length cuts encoders, and no decoder", function()
  local function longest(base)
    local files = hf.config(base)
    files["tokenizer_config.json"], files["sentence_bert_config.json"] = MAX:format(6), '{"max_seq_length": 5}'
    return spec_of(files).seq_len.max
  end
  fact.equal(longest(hf.BERT), 6)
  fact.equal(longest(hf.BERT:gsub("BertModel", "BertForSequenceClassification")), 6)
  fact.equal(longest(hf.GPT2), 20)
  fact.equal(longest(hf.LLAMA), 20)
end)

fact.holds("a length that is none is refused by its file and name", function()
  for _, length in ipairs({ "0", "-1", "1.5", '"6"', "{}" }) do
    local shown = length == "{}" and "an object" or length
    hf.refuses(encoder({ ["tokenizer_config.json"] = MAX:format(length) }),
      { ("/tokenizer_config.json: model_max_length is %s; expected a whole number from 1"):format(shown) })
  end
  hf.refuses(encoder({ ["sentence_roberta_config.json"] = '{"max_seq_length": true}' }),
    { "/sentence_roberta_config.json: max_seq_length is true; expected a whole number from 1" })
  hf.refuses(encoder({ ["tokenizer_config.json"] = "[]" }),
    { "/tokenizer_config.json: found a list; expected an object" })
end)

-- -- What is done with a text ---------------------------------------------------------------------------------------

local TOKENIZER, SENTENCE, BERT = "tokenizer_config.json", "config_sentence_transformers.json",
  "sentence_bert_config.json"

-- What a spec says of texts, of a sentence encoder with one other file.
local function text_of(name, content)
  return spec_of(encoder({ [name] = content })).text_input or {}
end

fact.holds("the side that truncation takes, lower case and types are recorded, where a folder says them", function()
  fact.equal(text_of(TOKENIZER, '{"truncation_side": "left"}').truncation_side, "left")
  fact.equal(text_of(TOKENIZER, '{"truncation_side": "right"}').truncation_side, "right")
  fact.equal(next(text_of(TOKENIZER, '{"truncation_side": null}')), nil)
  local tokens = {} -- as many as Gemma 3 has
  for i = 1, 6242 do
    tokens[i] = ([["%d": {"content": "<unused%d>", "lstrip": false, "normalized": false, "rstrip": false,
      "single_word": false, "special": true, "text": "a token that no text has, whose place is kept"}]]):format(i, i)
  end
  local large = '{"added_tokens_decoder": {' .. table.concat(tokens, ",\n") .. '}, "truncation_side": "left"}'
  assert(#large > 2 ^ 20)
  fact.equal(text_of(TOKENIZER, large).truncation_side, "left")
  hf.refuses(encoder({ [TOKENIZER] = '{"a": [[]' .. (",[]"):rep(700000) }), { "/tokenizer_config.json: no JSON at " ..
    "line 1, column 2097156: more than 2097152 brackets, commas and values" })
  fact.equal(text_of(BERT, '{"do_lower_case": true}').lower_case, true)
  fact.equal(next(text_of(BERT, '{"do_lower_case": false}')), nil)
  fact.equal(text_of(TOKENIZER, '{"model_input_names": ["input_ids", "attention_mask"]}').token_types, false)
  fact.equal(next(text_of(TOKENIZER, '{"model_input_names": ["input_ids", "token_type_ids"]}')), nil)
  hf.refuses(encoder({ [TOKENIZER] = '{"truncation_side": "middle"}' }),
    { '/tokenizer_config.json: truncation_side is "middle"; expected "left" or "right"' })
  hf.refuses(encoder({ [BERT] = '{"do_lower_case": 1}' }),
    { "/sentence_bert_config.json: do_lower_case is 1; expected true or false" })
end)

fact.holds("the prompt that default_prompt_name names is recorded, bytes that a spec has not as %xx", function()
  local function prompt(name, prompts)
    return text_of(SENTENCE, ('{"default_prompt_name": %s, "prompts": %s}'):format(name, prompts)).prompt
  end
  fact.equal(prompt('"query"', '{"query": "query: ", "document": "x"}'), "query: ")
  fact.equal(prompt('"q"', [[{"q": "50% \"a\"\n\u00e9?"}]]), "50%25 %22a%22%0a%c3%a9%3f")
  fact.equal(prompt("null", '{"query": "query: "}'), nil)
  fact.equal(prompt('"query"', '{"query": ""}'), nil)
  fact.equal(prompt('"document"', "{}"), nil)
  hf.refuses(encoder({ [SENTENCE] = '{"default_prompt_name": "q", "prompts": {"query": ""}}' }),
    { '/config_sentence_transformers.json: default_prompt_name is "q"; expected a name among prompts, with a string' })
  local alone = hf.config(hf.BERT)
  alone[SENTENCE] = '{"default_prompt_name": "q", "prompts": {"q": "x"}}'
  fact.equal(spec_of(alone).text_input, nil)
end)

fact.holds("prompts are recorded by name, in order of their names", function()
  local function prompts(said) return text_of(SENTENCE, '{"prompts": ' .. said .. "}").prompts end
  fact.lists_equal(prompts('{"query": "Query:\\n", "document": "", "a=b": null}'),
    { "a%3db=", "document=", "query=Query:%0a" })
  fact.equal(text_of(SENTENCE, '{"prompts": {}}').prompts, nil)
  hf.refuses(encoder({ [SENTENCE] = '{"prompts": {"query": 1}}' }),
    { "/config_sentence_transformers.json: prompts.query is 1; expected a name and a string" })
  hf.refuses(encoder({ [SENTENCE] = '{"prompts": [1]}' }),
    { "/config_sentence_transformers.json: prompts is a list; expected an object" })
end)

fact.holds("the scores of config_sentence_transformers.json go before those of config.json", function()
  local bert = hf.BERT:gsub("BertModel", "BertForSequenceClassification") .. ', "num_labels": 1, ' ..
    '"sentence_transformers": { "activation_fn": "torch.nn.modules.activation.Sigmoid" }'
  local function folder(name)
    return encoder({ [SENTENCE] = '{"activation_fn": ' .. name .. "}",
      ["modules.json"] = '[{"path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"}]' }, bert)
  end
  fact.equal(spec_of(folder('"torch.nn.modules.linear.Identity"')).classifier.scores, "none")
  fact.equal(spec_of(folder("null")).classifier.scores, "sigmoid")
  hf.refuses(folder('"torch.nn.modules.activation.Tanh"'), { "/config_sentence_transformers.json: activation_fn is " ..
    '"torch.nn.modules.activation.Tanh"; expected torch.nn.modules.activation.Sigmoid or ' ..
    "torch.nn.modules.linear.Identity" })
end)

fact.holds("generation ends at eos_token_id of generation_config.json, else of config.json, where there are logits",
  function()
    local function ends(generation, own, base)
      local files = hf.config(base or hf.LLAMA, own and '"eos_token_id": ' .. own)
      files["generation_config.json"] = generation and ('{"eos_token_id": %s}'):format(generation)
      local input = spec_of(files).text_input
      return input and table.concat(input.eos, " ")
    end
    fact.equal(ends("2", "3"), "2")
    fact.equal(ends("[4, 2]", "3"), "4 2")
    fact.equal(ends("null", "3"), "3")
    fact.equal(ends(nil, "[1, 5]"), "1 5")
    fact.equal(ends(nil, nil), nil)
    fact.equal(ends("[7, 6, -1]", "3"), "6") -- of 7 rows
    fact.equal(ends("9", "3"), nil)
    fact.equal(ends("2", "3", hf.LLAMA:gsub("ForCausalLM", "Model")), nil)
    fact.equal(ends("2", "3", hf.BERT), nil)
    local files = hf.config(hf.GPT2)
    files["generation_config.json"] = '{"eos_token_id": "</s>"}'
    hf.refuses(files, { '/generation_config.json: eos_token_id is "</s>"; expected a token id or a list of them: ' ..
      "generation stops there" })
    assert(hf.read(files, nil, { ignored = { eos_token_id = true } }))
  end)

fact.holds("the table says where the ends are from, and not that config.json's are not used", function()
  local lines = table.concat(hf.reads(hf.LLAMA, '"eos_token_id": 2, "bos_token_id": 1').lines, "\n")
  assert(lines:find("config.json: eos_token_id +2 +text_input.eos = 2"), lines)
  assert(lines:find("not used, tokens: bos_token_id\n"), lines)
end)

-- -- What is refused ------------------------------------------------------------------------------------------------

fact.holds("what changes a text or a vector and is not done is refused by its file and name", function()
  local cases = {
    { TOKENIZER, '{"split_special_tokens": true}', "split_special_tokens is true; expected false: special tokens in " ..
      "a text are tokens" },
    { BERT, '{"processor_kwargs": {"padding_side": "left"}}', 'processor_kwargs.padding_side is "left"; expected ' ..
      "none: it may change what a text becomes" },
    { BERT, '{"processing_kwargs": {"common": {"max_length": 3}}}', "processing_kwargs.common is an object; " ..
      "expected none: it may change what a text becomes" },
    { BERT, '{"model_args": {"torch_dtype": "bfloat16"}}', 'model_args.torch_dtype is "bfloat16"; expected none: it ' ..
      "may change the model" },
    { BERT, '{"module_output_name": "sentence_embedding"}', 'module_output_name is "sentence_embedding"; expected ' ..
      "token_embeddings or scores or causal_logits: the last layer's rows are pooled" },
  }
  for _, case in ipairs(cases) do
    hf.refuses(encoder({ [case[1]] = case[2] }), { "/" .. case[1] .. ": " .. case[3] })
    local name = case[3]:match("^%S+")
    assert(hf.read(encoder({ [case[1]] = case[2] }), nil, { ignored = { [name] = true } }), name)
  end
  hf.refuses(encoder({ ["adapter_config.json"] = "{}" }), { "/adapter_config.json: the model has an adapter, whose " ..
    "weights are not read: merge it into the model, and save that" })
end)

-- A tokenizer.json whose vocabulary and added tokens have names that begin like what is looked for.
local TOKENS = [[{"added_tokens": [{"content": "{"}], "post_processor": %s, "model": {"vocab": {"post_processor": 3,
  "\"post_processor\": {": 4}}}]]
local FIRST, LAST = '{"SpecialToken": {"id": "{\\"<s>", "type_id": 0}}', '{"SpecialToken": {"id": "}</s>"}}'
local TEXT = '{"Sequence": {"id": "A", "type_id": 0}}'

local function template(...)
  return '{"type": "TemplateProcessing", "single": [' .. table.concat({ ... }, ", ") .. '], "pair": [' .. FIRST .. "]}"
end

-- What becomes of a folder whose two files say this.
local function with_ends(processor, config, options)
  return hf.read(encoder({ ["tokenizer.json"] = TOKENS:format(processor), [TOKENIZER] = config }), nil, options)
end

fact.holds("tokens at the ends of a text are those of tokenizer.json, and what tokenizer_config.json says is as it is",
  function()
    local both = '{"type": "Sequence", "processors": [{"type": "ByteLevel"}, %s, %s]}'
    local cases = { -- the processor, whether it adds a token before a text, and after it
      { "null", false, false }, { '{"type": "ByteLevel"}', false, false }, { template(FIRST, TEXT), true, false },
      { template(TEXT, LAST), false, true }, { template(FIRST, TEXT, LAST), true, true },
      { '{"type": "RobertaProcessing"}', true, true }, { '{"type": "BertProcessing"}', true, true },
      { both:format(template(FIRST, TEXT), template(TEXT, LAST)), true, true },
    }
    for _, case in ipairs(cases) do
      for _, said in ipairs({ true, false }) do
        for i, name in ipairs({ "add_bos_token", "add_eos_token" }) do
          local result, errors = with_ends(case[1], ('{"%s": %s}'):format(name, said))
          fact.equal(result ~= nil, said == case[i + 1])
          if not result then fact.contains(errors[1], ("%s is %s; expected %s"):format(name, said, not said)) end
        end
      end
    end
    assert(with_ends(template(FIRST, TEXT), '{"add_eos_token": null}'))
    assert(hf.read(encoder({ [TOKENIZER] = '{"add_eos_token": true}' }))) -- no tokenizer.json
  end)

fact.holds("where they differ the folder is refused by the field's name, with what to do", function()
  local config = '{"add_bos_token": true, "add_eos_token": true}'
  local folder = "out/test/generator/hf/tiny"
  hf.refuses(encoder({ ["tokenizer.json"] = TOKENS:format(template(FIRST, TEXT)), [TOKENIZER] = config }), {
    "/tokenizer_config.json: add_eos_token is true; expected false: tokenizer.json ends a text with none, and the " ..
    'program follows it: python3 -c "from transformers import AutoTokenizer as T; T.from_pretrained(\'' .. folder ..
    "').save_pretrained('" .. folder .. "')\" writes one that does what transformers does; --hf-ignore " ..
    "add_eos_token takes it as it is" })
  assert(with_ends(template(FIRST, TEXT), config, { ignored = { add_eos_token = true } }))
  local files = encoder({ ["tokenizer.json"] = TOKENS:format("null"), [TOKENIZER] = config })
  assert(hf.read(files, { tokenizer = ("0"):rep(16) }))
  assert(with_ends('{"type": [', '{"add_eos_token": false}')) -- the program refuses such a tokenizer.json
end)

fact.holds("a pool without the prompt's tokens is refused, where there is a prompt", function()
  local pooling = '{"pooling_mode": "mean", "include_prompt": false}'
  spec_of(encoder({ ["1_Pooling/config.json"] = pooling, [SENTENCE] = '{"prompts": {"query": ""}}' }))
  hf.refuses(encoder({ ["1_Pooling/config.json"] = pooling, [SENTENCE] = '{"prompts": {"query": "q: "}}' }),
    { "/1_Pooling/config.json: include_prompt is false; expected true: a prompt's tokens are pooled with the text's" })
end)

fact.holds("modules are sentence-transformers' own, and in order", function()
  local function modules(...)
    local list = {}
    for i, kind in ipairs({ ... }) do
      list[i] = ('{"path": "%s", "type": "%s"}'):format(kind:find("Transformer") and "" or "1_Pooling", kind)
    end
    return encoder({ ["modules.json"] = "[" .. table.concat(list, ", ") .. "]" })
  end
  local OWN, MADE = "sentence_transformers.models.", "; what is made: Transformer, Pooling, Dense, Normalize, " ..
    "MultiVectorMask and LogitScore of sentence_transformers"
  local ORDER = "; expected Transformer; or Transformer, Pooling, any number of Dense, and Normalize or not; or " ..
    "Transformer, Dense, MultiVectorMask or not, and Normalize; or Transformer, LogitScore"
  hf.refuses(modules("custom_st.Transformer", OWN .. "Pooling"),
    { '/modules.json: a module is of type "custom_st.Transformer"' .. MADE })
  hf.refuses(modules(OWN .. "Pooling", OWN .. "Transformer"), { "/modules.json: its modules are Pooling, Transformer" ..
    ORDER })
  hf.refuses(modules(OWN .. "Transformer", OWN .. "Normalize"),
    { "/modules.json: its modules are Transformer, Normalize" .. ORDER })
  hf.refuses(modules(), { "/modules.json: its modules are none" .. ORDER })
  local files = modules(OWN .. "Transformer", OWN .. "Pooling", OWN .. "Normalize")
  files["1_Pooling/config.json"] = '{"module_input_name": "token_embeddings"}'
  hf.refuses(files, { '/1_Pooling/config.json: module_input_name is "token_embeddings"; expected ' ..
    '"sentence_embedding": the pooled row is normalized' })
end)

fact.finish()
