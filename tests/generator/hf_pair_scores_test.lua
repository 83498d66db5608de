-- hf_pair_scores_test.lua: --from-hf: decoders that judge pairs of texts by the token that they would say next: the
-- text of a pair and the tokens of its answers become fields of a spec, and others are refused by name.
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"
local pair_scores = require "import.from_hf.pair_scores"
local spec = require "spec"

local fact, read, config, refuses = hf.fact, hf.read, hf.config, hf.refuses

if not json.available() then fact.finish() end

local TEMPLATE = [[<|x|>
<Instruct>: {{ messages | selectattr("role", "eq", "system") | first | default("Judge it.") }}
<Query>: {{ messages | selectattr("role", "eq", "query") | map(attribute="content") | first }}
<Document>: {{ messages | selectattr("role", "eq", "document") | map(attribute="content") | first }}<|y|>
]]

local TEXT = "<|x|>%%0a<Instruct>: %s%%0a<Query>: {query}%%0a<Document>: {document}<|y|>"

local TOKENIZER = '{"model": {"type": "BPE", "vocab": {"yes": 5, "no": 3, "a": 1}}}'

local function folder(files)
  local all = config(hf.QWEN3 .. ', "tie_word_embeddings": true')
  all["tokenizer.json"] = TOKENIZER
  for name, content in pairs(files) do all[name] = content end
  return all
end

local MODULES = '[{"path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"}, ' ..
  '{"path": "1_LogitScore", "type": "sentence_transformers.cross_encoder.modules.logit_score.LogitScore"}]'

fact.holds("the text of a pair is that of the chat template, and yes and no answer", function()
  local result = assert(read(folder({ ["chat_template.jinja"] = TEMPLATE })))
  fact.contains(result.text, 'answers = { 5, 3 }, pair = "' .. TEXT:format("Judge it.") .. '"')
  result = assert(read(folder({ ["chat_template.jinja"] = TEMPLATE, ["modules.json"] = MODULES,
    ["1_LogitScore/config.json"] = '{"true_token_id": 2, "false_token_id": null}',
    ["config_sentence_transformers.json"] = '{"activation_fn": "torch.nn.modules.linear.Identity", ' ..
      '"default_prompt_name": "a", "prompts": {"a": "Is it so?"}}',
    ["sentence_bert_config.json"] =
      '{"transformer_task": "text-generation", "module_output_name": "causal_logits"}' })))
  fact.contains(result.text, 'answers = { 2 }, scores = "none"')
  fact.contains(result.text, 'pair = "' .. TEXT:format("Is it so%3f") .. '"')
end)

fact.holds("a decoder without such a template is none of these, unless the text is given", function()
  for _, template in ipairs({ "{% for message in messages %}{{ message.content }}{% endfor %}", "{{ messages }}",
    (TEMPLATE:gsub('"query"', '"user"')) }) do
    local result = assert(read(folder({ ["chat_template.jinja"] = template })))
    fact.equal(result.spec.text_input and result.spec.text_input.answers, nil)
  end
  local result = assert(read(folder({}), { ["text_input.pair"] = "{query}: {document}" }))
  fact.contains(result.text, 'answers = { 5, 3 }, pair = "{query}: {document}"')
end)

fact.holds("what is not made is refused", function()
  local files = { ["modules.json"] = MODULES,
    ["1_LogitScore/config.json"] = '{"true_token_id": 2, "false_token_id": 3}' }
  refuses(folder(files), { "/tokenizer_config.json: has no text with the messages of the roles query and document " ..
    "alone; --text-pair TEXT says what a query and a document become" })
  files["1_LogitScore/config.json"] = '{"true_token_id": 2, "module_input_name": "scores"}'
  refuses(folder(files), { '/1_LogitScore/config.json: module_input_name is "scores"; expected "causal_logits": the ' ..
    "logits of the decoder are read" })
end)

fact.holds("a spec has the text and the answers together, and logits of all tokens", function()
  local function errors_of(text_input, logits)
    local _, errors = spec.from_fields({ kind = "encoder", d_model = 8, n_heads = 2, n_layers = 1, vocab_size = 7,
      seq_len = 8, logits = logits or { kind = "linear" }, text_input = text_input })
    return errors
  end
  fact.equal(errors_of({ answers = { 1, 2 }, pair = "{query}{document}" }), nil)
  fact.lists_equal(errors_of({ answers = { 1, 2 } }), { "text_input.pair and text_input.answers are given together: " ..
    "what is asked, and the tokens that answer" })
  fact.lists_equal(errors_of({ answers = 7, pair = "{query}{document}" }),
    { "text_input.answers has the id 7; expected ids below vocab_size, 7" })
  fact.lists_equal(errors_of({ answers = 1, pair = "{query}{document}" }, { kind = "linear", size = 3 }),
    { 'text_input.pair and text_input.answers need logits = { kind = "linear" } of all tokens' })
  for _, pair in ipairs({ "{query}", "{document}{query}", "= {query}{document}", "{query}{document}%" }) do
    fact.contains(errors_of({ answers = 1, pair = pair })[1], "text_input")
  end
  fact.equal(pair_scores.text_of("{{ messages[0] }}"), nil)
end)

fact.finish()
