-- from_hf/late_interaction.lua: what a folder says of vectors of tokens that are compared one by one (ColBERT), as
-- sentence-transformers, PyLate and colbert-ir save it: the linear, its norm, lengths, markers, tokens that fill a
-- query, and tokens that do not count. What is not made is refused.
local json = require "import.from_hf.json"
local tokenizer = require "import.from_hf.tokenizer"

local late_interaction = {}

local SENTENCE, METADATA = "/config_sentence_transformers.json", "/artifact.metadata"
local PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

-- A value that is not null.
local function said(value)
  if value ~= json.null then return value end
end

-- -- Modules --------------------------------------------------------------------------------------------------------

-- Refuses a module that reads or writes anything but vectors of tokens.
local function check_names(self, path, config)
  for _, name in ipairs({ "module_input_name", "module_output_name" }) do
    local value = said(config[name])
    if value ~= nil and value ~= "token_embeddings" then
      self:refuse(path, name, value, '"token_embeddings"', "without pooling the rows of tokens are what there is")
    end
  end
end

-- The linear of each token's row. activation: that of its config.
function late_interaction.dense(self, path, config, activation)
  check_names(self, path, config)
  if activation ~= "none" then
    self:refuse(path, "activation_function", config.activation_function, "Identity", "vectors of tokens are a linear")
  end
  if said(config.use_residual) then
    self:refuse(path, "use_residual", true, "false", "rows are not added to their vectors")
  end
  if self.vectors then self:fail(path, "a second Dense of tokens; expected one") end
  self.vectors = { path = path, size = config.out_features }
  self:add(path, "out_features", config.out_features, "logits.size", config.out_features)
  self:add(path, "bias", config.bias, "logits.bias", config.bias ~= false)
end

-- Which tokens count.
function late_interaction.mask(self, folder)
  local path = folder .. "/config.json"
  local config = self:read(path, true) or {}
  local tasks = said(config.skiplist_tasks) or {}
  if json.is_array(tasks) and (tasks[1] or "document") ~= "document" or tasks[2] then
    self:refuse(path, "skiplist_tasks", tasks, '["document"]', "all tokens of a query count")
  end
  if said(config.keep_only_token_ids) then
    self:refuse(path, "keep_only_token_ids", config.keep_only_token_ids, "none", "tokens of texts count")
  end
  self.unscored = { path = path, words = said(config.skiplist_words) or {} }
end

-- The norm of each token's vector.
function late_interaction.normalize(self, path, config)
  check_names(self, path, config)
  self.vectors.is_unit = true
end

-- -- Settings -------------------------------------------------------------------------------------------------------

-- PyLate's settings are in the config of the whole.
local PYLATE = { "query_prefix", "document_prefix", "attend_to_expansion_tokens", "do_query_expansion",
  "skiplist_words" }

local function is_of_pylate(config)
  for _, name in ipairs(PYLATE) do
    if config[name] ~= nil then return true end
  end
  return config.model_type == "ColBERT"
end

local function all_punctuation()
  local words = {}
  for word in PUNCTUATION:gmatch(".") do words[#words + 1] = word end
  return words
end

local function of_pylate(path, config)
  local attends = said(config.attend_to_expansion_tokens) or said(config.attend_to_mask_tokens) or false
  local expands = config.do_query_expansion ~= false and config.query_expansion == nil
  return {
    path = path, prompts = said(config.prompts) or {},
    prefixes = { query = said(config.query_prefix), document = said(config.document_prefix) },
    query_length = said(config.query_length), document_length = said(config.document_length),
    expansion = expands and { strategy = "fixed", attend = attends, length = said(config.query_length) or 32 } or
      said(config.query_expansion),
    skipped = said(config.skiplist_words) or all_punctuation(),
  }
end

-- What colbert-ir writes; without it, what its programs do.
local function of_metadata(path, config)
  return {
    path = path, size = config.dim, prompts = {},
    prefixes = { query = said(config.query_token_id) or "[unused0]",
      document = said(config.doc_token_id) or "[unused1]" },
    document_length = said(config.doc_maxlen),
    expansion = { strategy = "fixed", attend = said(config.attend_to_mask_tokens) or false,
      length = said(config.query_maxlen) or 32 },
    skipped = said(config.mask_punctuation) ~= false and all_punctuation() or {},
    similarity = said(config.similarity),
  }
end

-- Those of sentence-transformers' own modules.
local function of_modules(path, config, unscored)
  return { path = path, prefixes = {}, prompts = {}, query_length = said(config.query_length),
    document_length = said(config.document_length), expansion = said(config.query_expansion),
    skipped = unscored and unscored.words or {} }
end

local function settings_of(self, encoder, module)
  if not encoder then
    local path = self.path .. METADATA
    return of_metadata(path, self:read(path, true) or {})
  end
  local path = self.path .. SENTENCE
  local whole = self:read(path, true) or {}
  if is_of_pylate(whole) then
    encoder.vectors.is_unit = true
    return of_pylate(path, whole)
  end
  return of_modules(module.path or path, module.config or {}, encoder.unscored)
end

-- -- Rows -----------------------------------------------------------------------------------------------------------

-- Adds the marker of a task.
local function add_marker(self, settings, ids, task)
  local prefix, prompt = settings.prefixes[task], said(settings.prompts[task])
  if not prefix or prefix == "" then return end
  local id = ids[prefix]
  if not id then
    return self:fail(settings.path, "%s is %s, which the tokenizer has no token for; expected one of its tokens",
      task .. "_prefix", json.shown(prefix))
  end
  if prompt and prompt:sub(1, #prefix) == prefix then
    return self:fail(settings.path, "prompts.%s begins with %s, as %s_prefix does; expected one of them", task,
      json.shown(prefix), task)
  end
  self:add(settings.path, task .. "_prefix", prefix, "text_input." .. task .. "_marker", id)
end

-- The token that fills queries: the one that is named, else [MASK] or what else the tokenizer's config says.
local function filler_of(settings, of_tokenizer)
  local token = said(settings.expansion.token) or said(of_tokenizer.mask_token) or said(of_tokenizer.eos_token)
  return json.is_object(token) and token.content or token
end

local function add_expansion(self, settings, ids, of_tokenizer)
  local expansion = settings.expansion
  if not expansion then return end
  local id = ids[filler_of(settings, of_tokenizer)]
  if expansion.strategy ~= "fixed" and expansion.strategy ~= "min" or not id then
    return self:fail(settings.path, "query_expansion has the strategy %s and a token of id %s; expected fixed or " ..
      "min, and a token of the tokenizer", json.shown(expansion.strategy), json.shown(id))
  end
  if expansion.strategy == "fixed" then settings.query_length = expansion.length end
  self:add(settings.path, "query_expansion.token", filler_of(settings, of_tokenizer), "text_input.expansion", id)
  self:add(settings.path, "query_expansion.length", expansion.length, "text_input.expansion_length", expansion.length)
  if not expansion.attend then
    self:add(settings.path, "query_expansion.attend", false, "mask.tensor", "bool")
  end
end

local function add_lengths(self, settings, longest)
  for _, name in ipairs({ "query_length", "document_length" }) do
    local length = settings[name]
    if length then self:add(settings.path, name, length, "text_input." .. name, math.min(length, longest)) end
  end
  local length = settings.document_length
  if length then
    length = math.min(math.max(length, settings.query_length or 0), longest)
    self:add(settings.path, "document_length", settings.document_length, "seq_len", ("1..%d"):format(length))
  end
end

local function add_unscored(self, settings, ids)
  local list, seen = {}, {}
  for _, word in ipairs(settings.skipped) do
    local id = ids[word]
    if id and not seen[id] then list[#list + 1] = id end
    if id then seen[id] = true end
  end
  if #list > 0 then
    self:add(settings.path, "skiplist_words", settings.skipped, "text_input.unscored", #list > 1 and list or list[1])
  end
end

-- All words whose ids are asked for.
local function words_of(settings, of_tokenizer)
  local words = { settings.expansion and filler_of(settings, of_tokenizer) }
  for _, word in ipairs(settings.skipped) do words[#words + 1] = word end
  for _, prefix in pairs(settings.prefixes) do words[#words + 1] = prefix end
  return words
end

local NO_NORM = "its modules have no Normalize of token_embeddings; expected one: vectors of length one are compared"
local NO_START = "tokenizer.json puts no token before a text; expected one, which a marker follows"

-- The ids of words, from the tokenizer.json of the folder, or nothing after a message.
local function ids_of(self, settings, folder, of_tokenizer)
  local path, words = tokenizer.path(self.path, folder), words_of(settings, of_tokenizer)
  if not path or #words == 0 then return {} end
  local ids, why = tokenizer.ids(path, words)
  if not ids then self:fail(path, "%s", why) end
  if ids and next(settings.prefixes) and not tokenizer.adds(path).before then self:fail(path, NO_START) end
  return ids
end

-- Adds what a folder says of vectors of tokens. folder: that of config.json; encoder: what modules.json says, or nil;
-- module: the first module's config and its path; longest: the longest text that the model has positions for.
function late_interaction.read(self, folder, encoder, module, longest)
  local of_tokenizer = self:read(folder .. "/tokenizer_config.json", true) or {}
  local settings = settings_of(self, encoder, module)
  if encoder and not encoder.vectors.is_unit then return self:fail(self.path .. "/modules.json", NO_NORM) end
  if settings.similarity and settings.similarity ~= "cosine" then
    self:refuse(settings.path, "similarity", settings.similarity, '"cosine"', "vectors have length one")
  end
  if settings.size then self:add(settings.path, "dim", settings.size, "logits.size", settings.size) end
  if encoder then self:add(self.path .. "/modules.json", "Normalize", nil, "logits.kind", "unit") end
  local ids = ids_of(self, settings, folder, of_tokenizer)
  if not ids then return end
  add_marker(self, settings, ids, "query")
  add_marker(self, settings, ids, "document")
  add_expansion(self, settings, ids, of_tokenizer)
  add_lengths(self, settings, longest)
  add_unscored(self, settings, ids)
end

return late_interaction
