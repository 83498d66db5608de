-- from_hf/init.lua: --from-hf: a model folder of Hugging Face's transformers or of sentence-transformers -> a spec that
-- says the same, written to out/specs/, and the table of how it came about. What it does not know it refuses by name.
local data_files = require "import.data_files"
local fields = require "import.from_hf.fields"
local fs = require "base.fs"
local hash = require "base.hash"
local json = require "import.from_hf.json"
local next_step = require "import.next_step"
local other_types = require "import.from_hf.other_types"
local match = require "import.from_hf.match"
local read_config = require "import.from_hf.config"
local open_folder = require "import.from_hf.folder"
local report = require "import.from_hf.report"
local sentence = require "import.from_hf.sentence"
local spec = require "spec"
local tensors = require "import.from_hf.tensors"
local text = require "base.text"
local texts = require "import.from_hf.texts"
local tokenizer = require "import.from_hf.tokenizer"

local DATA = "generator/import/hf"

-- -- Model types ----------------------------------------------------------------------------------------------------

-- The data file of a model type, or nil and a message. Its `saved` is about folders that transformers saved, with other
-- names than the model's own code has: those whose config.json lacks a field.
local function data_of(path, config)
  local model_type = config.model_type
  local known, wanted = data_files(DATA), type(model_type) == "string" and model_type:gsub("-", "_")
  for _, name in ipairs(known) do
    if name == wanted then
      local data = require("import.hf." .. name)
      return data.saved and config[data.saved.lacks] == nil and data.saved.data or data
    end
  end
  if other_types[wanted] then
    return nil, ("%s: %s is a model type of transformers that genattn does not read; it reads %s%s"):format(path,
      json.plain(model_type), text.join(known), next_step.near(wanted))
  end
  local near = wanted and text.misspelt(wanted, known)
  return nil, ("%s: model_type is %s; expected one of %s%s"):format(path, json.shown(model_type),
    text.join(known, "or"), near and ("; did you mean %s?"):format(near) or "")
end

-- -- The spec -------------------------------------------------------------------------------------------------------

-- A name for the model from its folder's; in a cache of Hugging Face's that of the model and not of its version.
local function name_of(folder, fallback)
  local last = folder:match("models%-%-[^/]*%-%-([^/]+)/snapshots/[^/]+$") or folder:match("([^/]*)$")
  return fields.name_of(last, fallback)
end

-- Puts what other files of the folder say over what config.json says: their rows join the table, but those that flags
-- replace.
local function add_rows(model, rows, given)
  for _, row in ipairs(rows) do
    if given[row.field] ~= nil then
      row.made, row.note = given[row.field], "as asked for"
    else
      model.made[row.field] = row.made
    end
    for _, other in ipairs(model.rows) do
      if other.field == row.field then other.note = "but see below" end
    end
    model.rows[#model.rows + 1] = row
  end
end

-- Fails where rows of another width than the model's are pooled.
local function check_width(extra, model, width)
  if width and width.value ~= nil and width.value ~= model.made.d_model then
    extra:fail(width.path, "%s is %s; expected %s, as wide as the model", width.field, json.shown(width.value),
      json.shown(model.made.d_model))
  end
end

-- Adds the tokens that end what a model generates. The field of config.json is then not one that changes nothing.
local function add_ends(model, extra, config)
  local folder, made = model.path:match("^(.*)/[^/]*$"), model.made
  local generates = made.vocab_size and made["mask.causal"] and made["logits.kind"]
  if not generates or not texts.add_ends(extra, folder, config, made.vocab_size) then return end
  for _, names in pairs(model.groups) do
    for i = #names, 1, -1 do
      if names[i] == "eos_token_id" then table.remove(names, i) end
    end
  end
end

-- Adds what the other files of the folder say; extra: the folder.
local function add_files(model, extra, encoder, given, config)
  local longest = tonumber(tostring(model.made.seq_len):match("%d+$"))
  if model.made.vocab_size and longest then
    texts.read(extra, model.path:match("^(.*)/[^/]*$"), encoder, model.made, longest)
  end
  add_ends(model, extra, config)
  add_rows(model, extra.rows, given)
  check_width(extra, model, encoder and encoder.width)
end

-- The hash of a tokenizer.json that lies in the folder or in that of the model's config, where the model takes tokens
-- and no flag gave one.
local function add_tokenizer(model, folder, given)
  if not model.made.vocab_size or given.tokenizer then return true end
  local path = tokenizer.path(folder, model.path:match("^(.*)/[^/]*$"))
  if not path then return true end
  local content, why = fs.read(path)
  if not content then return nil, { why } end
  model.made.tokenizer = hash.hex(content)
  model.rows[#model.rows + 1] = { config = "tokenizer.json", field = "tokenizer", made = model.made.tokenizer,
    note = "its hash" }
  return true
end

-- -- The folder -----------------------------------------------------------------------------------------------------

local NO_TENSORS = "%s: no model.safetensors and no index of shards, so names of weights are not checked%s"
local PICKLE = "; pytorch_model.bin is never read, since reading it may run what it holds: python3 -c \"from " ..
  "transformers import %s as M; M.from_pretrained('%s').save_pretrained('%s')\" writes model.safetensors"

-- The architecture in place of the file's: as asked for, or the stack alone where sentence-transformers pools its rows,
-- as that never has a head, or multiplies them; and a note where the file's is another.
local function architecture_of(config, data, encoder, asked)
  local listed = json.is_array(config.architectures) and config.architectures[1]
  if asked or not encoder or not (encoder.pooling or encoder.vectors) then return asked end
  return data.base, listed and listed ~= data.base and
    ("the stack of a %s, whose rows sentence-transformers %s"):format(json.plain(tostring(listed)),
      encoder.pooling and "pools" or "compares") or nil
end

-- Reads config.json and the other files of its folder: the model { made, rows, ... } and its data file; or nil and
-- messages.
local function read_model(folder, given, options)
  local extra = open_folder(folder, given, options.ignored)
  local encoder = sentence.read(extra)
  if #extra.errors > 0 then return nil, extra.errors end
  local path = (encoder and encoder.transformer or folder) .. "/config.json"
  if fs.kind(path) == "nothing" then return nil, { next_step.without_config(path) } end
  local config, why = json.read(path)
  if not config then return nil, { why } end
  local data
  data, why = data_of(path, config)
  if not data then return nil, { why } end
  local architecture, note = architecture_of(config, data, encoder, options.architecture)
  local model, errors = read_config(path, config, data, given, options.ignored, architecture)
  if not model then return nil, errors end
  model.notes[#model.notes + 1] = note
  model.path, model.model_type = path, config.model_type
  add_files(model, extra, encoder, given, config)
  if #extra.errors > 0 then return nil, extra.errors end
  fields.add_given(model, given)
  local ok, errors_of_tokenizer = add_tokenizer(model, folder, given)
  if not ok then return nil, errors_of_tokenizer end
  model.made.name = model.made.name or
    name_of(folder, ("%s_%d"):format(config.model_type:gsub("-", "_"), model.made.d_model))
  return model, data
end

-- The spec as tensors bear it out, or as the first map has it where there are none; and the lines of the table.
local function match_tensors(model, data, ignored)
  local folder = model.path:match("^(.*)/[^/]*$")
  local held, why = tensors.read(folder)
  if held == false then return nil, { why } end
  if held then
    local matched, errors = match.find(held, model.made, data, ignored, model.path)
    if not matched then return nil, errors end
    return matched.spec, report.lines(model, held, matched)
  end
  model.made.weights = model.made.weights or data.maps[1]
  local s, errors = spec.from_fields(model.made, model.path)
  if not s then return nil, errors end
  local has_pickle = fs.kind(folder .. "/pytorch_model.bin") == "file"
  return s, report.lines(model, nil, nil, NO_TENSORS:format(folder,
    has_pickle and PICKLE:format(model.architecture, folder, folder) or ""))
end

-- Reads a folder. given: flags' fields by name; options: ignored (set of config fields and tensors not to ask about),
-- architecture (in place of the file's, or nil). Returns { spec, text (of a spec file), lines (the table) }, or nil and
-- every message.
return function(folder, given, options)
  local ok, why = json.available()
  if not ok then return nil, { "--from-hf: " .. why } end
  folder = folder:gsub("(.)/+$", "%1")
  why = next_step.not_a_folder(folder)
  if why then return nil, { why } end
  local model, data = read_model(folder, given, options)
  if not model then return nil, data end
  local s, lines = match_tensors(model, data, options.ignored)
  if not s then return nil, lines end
  local head = ("-- From a folder of Hugging Face's transformers: %s, model_type %s.\n"):format(model.architecture,
    model.model_type)
  return { spec = s, text = head .. spec.text(s), lines = lines }
end
