-- from_hf/texts.lua: how long a text may be, as a model's folder says beside its config.json: in the config of
-- sentence-transformers' first module, or in tokenizer_config.json. Of a tokenizer.json it reads nothing.
local json = require "import.from_hf.json"

local texts = {}

local TOKENIZER = "/tokenizer_config.json"

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
local function module_config(self, folder)
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
    value = json.is_object(value) and value[part] or nil
  end
  return value ~= json.null and value or nil
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

-- Adds what a folder says of texts. is_sentence: it is one of sentence-transformers'; longest: the longest text that
-- the model has positions for.
function texts.read(self, folder, is_sentence, longest)
  self.longest = longest
  local config, path = nil, nil
  if is_sentence then config, path = module_config(self, folder) end
  for _, name in ipairs(LENGTHS) do
    if add_length(self, path, config, name) then return end
  end
  add_length(self, folder .. TOKENIZER, self:read(folder .. TOKENIZER, true), "model_max_length")
end

return texts
