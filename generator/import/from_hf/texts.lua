-- from_hf/texts.lua: what a folder says of texts in addition to its config.json: in the config of
-- sentence-transformers' first module, in config_sentence_transformers.json and in tokenizer_config.json. What is not
-- done is refused.
local conversions = require "import.from_hf.conversions"
local fs = require "base.fs"
local json = require "import.from_hf.json"
local late_interaction = require "import.from_hf.late_interaction"
local pair_scores = require "import.from_hf.pair_scores"
local text = require "base.text"
local tokenizer = require "import.from_hf.tokenizer"

local texts = {}

local TOKENIZER, SENTENCE = "/tokenizer_config.json", "/config_sentence_transformers.json"

-- Names of the first module's config: the first that says anything is taken.
local MODULE_CONFIGS = {
  "sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json",
  "sentence_camembert_config.json", "sentence_albert_config.json", "sentence_xlm-roberta_config.json",
  "sentence_xlnet_config.json",
}

-- What says how long a text may be, the last word first. max_seq_length was there before the others.
local LENGTHS = {
  "processing_kwargs.text.max_length", "tokenizer_args.model_max_length", "processor_kwargs.model_max_length",
  "max_seq_length",
}

-- The first module's config and its path, or nothing.
local function read_module(self, folder)
  for _, name in ipairs(MODULE_CONFIGS) do
    local path = folder .. "/" .. name
    local config = self:read(path, true)
    if config and next(config) ~= nil then return config, path end
  end
end

-- The value under a dotted name; nil for null too.
local function value_at(config, name)
  local value = config
  for part in name:gmatch("[^.]+") do
    if not json.is_object(value) then return nil end
    value = value[part]
  end
  if value ~= json.null then return value end
end

-- Adds the length that one file says under a name, unless it says none: whether it does. The huge number that
-- transformers writes for none ends at the positions.
local function add_length(self, path, config, name)
  local length = config and value_at(config, name)
  if length == nil then return false end
  if type(length) == "number" and length >= 1 and length == math.floor(length) then
    self:add(path, name, length, "seq_len", ("1..%d"):format(math.min(length, self.longest)))
  else
    self:fail(path, "%s is %s; expected a whole number from 1", name, json.shown(length))
  end
  return true
end

-- Adds the length that a text may have.
local function add_lengths(self, folder, module, of_tokenizer)
  for _, name in ipairs(LENGTHS) do
    if add_length(self, module.path, module.config, name) then return end
  end
  add_length(self, folder .. TOKENIZER, of_tokenizer, "model_max_length")
end

-- -- What is done with a text ---------------------------------------------------------------------------------------

-- Adds what a file says under a name, if it is of these values; false is what is done without.
local function add_choice(self, path, config, name, values, field)
  local value = config and value_at(config, name)
  if value == nil then return end
  for _, known in ipairs(values) do
    if value == known then return value and self:add(path, name, value, field, value) end
  end
  local shown = {}
  for i, known in ipairs(values) do shown[i] = json.shown(known) end
  self:fail(path, "%s is %s; expected %s", name, json.shown(value), table.concat(shown, " or "))
end

-- A model is given types where the names of its inputs have them.
local function add_types(self, path, config)
  local names = config and value_at(config, "model_input_names")
  if not json.is_array(names) then return end
  for _, name in ipairs(names) do
    if name == "token_type_ids" then return end
  end
  self:add(path, "model_input_names", names, "text_input.token_types", false)
end

-- Tokens at the ends of a text: the field of tokenizer_config.json, where tokenizer.json puts the token, and its word.
local ENDS = { { "add_bos_token", "before", "begins" }, { "add_eos_token", "after", "ends" } }

local SAVED_AGAIN = "tokenizer.json %s a text with %s, and the program follows it: python3 -c \"from transformers " ..
  "import AutoTokenizer as T; T.from_pretrained('%s').save_pretrained('%s')\" writes one that does what " ..
  "transformers does; --hf-ignore %s takes it as it is"

-- Refuses tokens at the ends of a text that tokenizer.json does not add, or adds though they are not wanted: classes of
-- transformers may change what it does by these fields.
local function check_ends(self, folder, config)
  local path, adds = tokenizer.path(self.path, folder), nil
  if not path or not config or self.given.tokenizer then return end
  for _, row in ipairs(ENDS) do
    local wanted = value_at(config, row[1])
    if type(wanted) == "boolean" then
      adds = adds or tokenizer.adds(path)
      local does = adds[row[2]]
      if does ~= wanted then
        self:refuse(folder .. TOKENIZER, row[1], wanted, tostring(does),
          SAVED_AGAIN:format(row[3], does and "a token" or "none", folder, folder, row[1]))
      end
    end
  end
end

local function add_tokenizer(self, path, config)
  add_choice(self, path, config, "truncation_side", { "left", "right" }, "text_input.truncation_side")
  add_types(self, path, config)
  if config and config.split_special_tokens == true then
    self:refuse(path, "split_special_tokens", true, "false", "special tokens in a text are tokens")
  end
end

-- Bytes of a prompt as a spec has them.
local function spelt(prompt)
  return (prompt:gsub("[^%w ,.:;_()/<>|=*+'&!#@{}^~$-]", function(byte) return ("%%%02x"):format(byte:byte()) end))
end

-- Adds all prompts by name.
local function add_prompts(self, path, config)
  local prompts, list = value_at(config, "prompts"), {}
  if prompts ~= nil and not json.is_object(prompts) then
    return self:fail(path, "prompts is %s; expected an object", json.shown(prompts))
  end
  for _, name in ipairs(text.sorted_keys(prompts or {})) do
    local prompt = prompts[name]
    if name == "" or prompt ~= json.null and type(prompt) ~= "string" then
      self:fail(path, "prompts.%s is %s; expected a name and a string", json.plain(name), json.shown(prompt))
    else
      list[#list + 1] = spelt(name):gsub("=", "%%3d") .. "=" .. spelt(prompt == json.null and "" or prompt)
    end
  end
  if #list > 0 then self:add(path, "prompts", prompts, "text_input.prompts", list) end
end

-- Adds the prompt that default_prompt_name names: query and document are there without a prompt of their own.
local function add_prompt(self, path, config)
  local name, prompts = value_at(config, "default_prompt_name"), value_at(config, "prompts")
  if name == nil then return end
  local prompt = json.is_object(prompts) and prompts[name]
  if (prompt == nil or prompt == json.null or not prompts) and (name == "query" or name == "document") then return end
  if type(prompt) ~= "string" then
    self:fail(path, "default_prompt_name is %s; expected a name among prompts, with a string", json.shown(name))
  elseif prompt ~= "" then
    self:add(path, "default_prompt_name", name, "text_input.prompt", spelt(prompt))
  end
end

-- How vectors of tokens are compared: the sum of the largest similarities.
local MAX_SIM = { maxsim = true, MaxSim = true }

local SIMILARITIES = { cosine = "cosine", dot = "dot", euclidean = "euclidean", manhattan = "manhattan" }

-- Adds how embeddings are compared; nothing said is cosine.
local function add_similarity(self, path, config, encoder)
  local name = value_at(config, "similarity_fn_name")
  if name == nil or encoder.vectors and MAX_SIM[name] then return end
  if encoder.vectors then return self:fail(path, "similarity_fn_name is %s; expected maxsim", json.shown(name)) end
  if not SIMILARITIES[name] then
    return self:fail(path, "similarity_fn_name is %s; expected cosine, dot, euclidean or manhattan", json.shown(name))
  end
  self:add(path, "similarity_fn_name", name, "pool.similarity", name)
end

-- Whether a model has any prompt, which a call may ask for.
local function has_prompts(config)
  local prompts = value_at(config, "prompts")
  for _, prompt in pairs(json.is_object(prompts) and prompts or {}) do
    if prompt ~= "" and prompt ~= json.null then return true end
  end
  return false
end

local function add_scores(self, path, config)
  local name = value_at(config, "activation_fn")
  if name == nil then return end
  local scores, expected = conversions.scores(name)
  if expected then return self:fail(path, "activation_fn is %s; expected %s", json.shown(name), expected) end
  self:add(path, "activation_fn", name, "classifier.scores", scores)
end

-- -- Where a text ends ----------------------------------------------------------------------------------------------

local GENERATION, EOS = "/generation_config.json", "eos_token_id"

-- The ids that a value says, without those that the model has no row for, which never come; nil where it says none.
local function ids_of(value, vocab_size)
  local ids = {}
  for _, id in ipairs(json.is_array(value) and value or { value }) do
    if type(id) ~= "number" or id ~= math.floor(id) then return nil end
    if id >= 0 and id < vocab_size then ids[#ids + 1] = id end
  end
  return ids
end

-- Adds the tokens that end a text: those of generation_config.json, else of config.json, which config is.
-- Returns whether they are config.json's.
function texts.add_ends(self, folder, config, vocab_size)
  local path, generation = folder .. GENERATION, self:read(folder .. GENERATION, true)
  local value = generation and value_at(generation, EOS)
  local is_models = value == nil
  if is_models then path, value = folder .. "/config.json", value_at(config, EOS) end
  if value == nil then return false end
  local ids = ids_of(value, vocab_size)
  if not ids then
    self:refuse(path, EOS, value, "a token id or a list of them", "generation stops there")
  elseif #ids > 0 then
    self:add(path, EOS, value, "text_input.eos", #ids == 1 and ids[1] or ids)
  end
  return is_models
end

-- -- What is refused ------------------------------------------------------------------------------------------------

-- Arguments of transformers' classes in a module's config, those that are taken, and why others are not.
local ARGUMENTS = {
  { "model_kwargs model_args", "attn_implementation device_map local_files_only low_cpu_mem_usage trust_remote_code" ..
    " use_safetensors", "it may change the model" },
  { "config_kwargs config_args", "local_files_only trust_remote_code", "it may change the model" },
  { "processor_kwargs tokenizer_args", "local_files_only model_max_length trust_remote_code use_fast",
    "it may change what a text becomes" },
  { "processing_kwargs", "text", "it may change what a text becomes" },
  { "processing_kwargs.text", "max_length", "it may change what a text becomes" },
}

-- What a module's config must say where it says anything, and why.
local REQUIRED = {
  { "transformer_task", "feature-extraction sequence-classification text-generation",
    "a text becomes rows or a score" },
  { "module_output_name", "token_embeddings scores causal_logits", "the last layer's rows are pooled" },
  { "modality_config.text.method", "forward", "the last layer's rows are pooled" },
  { "modality_config.text.method_output_name", "last_hidden_state logits", "the last layer's rows are pooled" },
}

local function is_among(words, word)
  return (" " .. words .. " "):find(" " .. word .. " ", 1, true) ~= nil
end

local function check_arguments(self, path, config, name, row)
  local arguments = value_at(config, name)
  for _, key in ipairs(json.is_object(arguments) and text.sorted_keys(arguments) or {}) do
    if not is_among(row[2], key) and arguments[key] ~= json.null then
      self:refuse(path, name .. "." .. json.plain(key), arguments[key], "none", row[3])
    end
  end
end

local function check_module(self, path, config)
  for _, row in ipairs(ARGUMENTS) do
    for name in row[1]:gmatch("%S+") do check_arguments(self, path, config, name, row) end
  end
  for _, row in ipairs(REQUIRED) do
    local value = value_at(config, row[1])
    if value ~= nil and not (type(value) == "string" and is_among(row[2], value)) then
      self:refuse(path, row[1], value, (row[2]:gsub(" ", " or ")), row[3])
    end
  end
end

local function check_sentence(self, path, config, encoder, made)
  local dim, pooling = value_at(config, "truncate_dim"), encoder.pooling
  if dim ~= nil and pooling and (type(dim) ~= "number" or dim < (encoder.size or made.d_model)) then
    self:add(path, "truncate_dim", dim, "pool.size", dim)
  end
  if pooling and pooling.config.include_prompt == false and has_prompts(config) then
    self:refuse(pooling.path, "include_prompt", false, "true", "a prompt's tokens are pooled with the text's")
  end
end

local ADAPTER = "the model has an adapter, whose weights are not read: merge it into the model, and save that"

-- -- A folder -------------------------------------------------------------------------------------------------------

-- What sentence-transformers says; encoder: what modules.json does.
local function add_sentence(self, encoder, made)
  local path = self.path .. SENTENCE
  local config = self:read(path, true)
  if not config then return end
  add_prompt(self, path, config)
  add_prompts(self, path, config)
  if encoder.pooling or encoder.vectors then add_similarity(self, path, config, encoder) end
  if made["classifier.labels"] then add_scores(self, path, config) end
  check_sentence(self, path, config, encoder, made)
end

-- Adds what a folder says of texts. folder: that of config.json; encoder: what modules.json says, nil without; made:
-- the fields of the spec that config.json gives; longest: the longest text that the model has positions for.
function texts.read(self, folder, encoder, made, longest)
  self.longest = longest
  local module, read = {}, self:read(folder .. TOKENIZER, true)
  if encoder then module.config, module.path = read_module(self, folder) end
  -- A model that goes on from a text is not cut where a tokenizer's default is.
  if encoder or not made["mask.causal"] then add_lengths(self, folder, module, read) end
  add_tokenizer(self, folder .. TOKENIZER, read)
  check_ends(self, folder, read)
  if module.config then
    add_choice(self, module.path, module.config, "do_lower_case", { true, false }, "text_input.lower_case")
    check_module(self, module.path, module.config)
  end
  if encoder then add_sentence(self, encoder, made) end
  if encoder and encoder.vectors or made["logits.kind"] == "unit" then
    late_interaction.read(self, folder, encoder, module, longest)
  end
  if made["mask.causal"] and made["logits.kind"] == "linear" then pair_scores.read(self, folder, encoder, read) end
  local adapter = folder .. "/adapter_config.json"
  if fs.kind(adapter) ~= "nothing" then self:fail(adapter, ADAPTER) end
end

return texts
