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

fact.finish()
