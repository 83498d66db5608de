-- from_gguf/init.lua: --from-gguf: a GGUF file of llama.cpp -> a spec of its model, written to out/specs/, and the
-- table of how it came about. What it does not know it refuses by name. The tokenizer that such a file holds is
-- the program's to read.
local config = require "import.from_hf.config"
local data_files = require "import.data_files"
local fields = require "import.from_hf.fields"
local header = require "import.from_gguf.header"
local json = require "import.from_hf.json"
local next_step = require "import.next_step"
local match = require "import.from_hf.match"
local report = require "import.from_hf.report"
local spec = require "spec"
local text = require "base.text"

local DATA = "generator/import/gguf"

-- The data file of the architecture that the metadata give, or nil and a message.
local function data_of(path, metadata)
  local name
  if json.is_object(metadata.general) then name = metadata.general.architecture end
  local names = {}
  for i, file in ipairs(data_files(DATA)) do
    names[i] = file:gsub("_", "-")
    if names[i] == name then return require("import.gguf." .. file) end
  end
  return nil, ("%s: general.architecture is %s; expected one of %s%s"):format(path,
    json.shown(name), text.join(names, "or"), next_step.near(name))
end

-- -- What tensors say -----------------------------------------------------------------------------------------------

-- Rows of a table, or nil where it is not there.
local function rows_of(held, name)
  local tensor = held.found[name]
  return tensor and tensor.shape[1]
end

-- Which of a layer's linears have a bias, "none" where none has.
local function biases_of(held, names)
  local with = {}
  for _, row in ipairs(names) do
    if held.found["blk.0." .. row[2] .. ".bias"] then with[#with + 1] = row[1] end
  end
  return #with > 0 and table.concat(with, " ") or "none"
end

local ATTENTION = { { "q", "attn_q" }, { "k", "attn_k" }, { "v", "attn_v" }, { "o", "attn_output" } }
local FEED_FORWARD = { { "gate", "ffn_gate" }, { "up", "ffn_up" }, { "down", "ffn_down" } }

-- Lists of divisors of rotary angles, and the fields that have them; llama.cpp takes the first that is there, or one of
-- the other two by the longest sequence.
local DIVISORS = { { "rope_divisors", "rope_freqs.weight" }, { "rope_long_divisors", "rope_factors_long.weight" },
  { "rope_divisors", "rope_factors_short.weight" } }

-- Adds the divisors, and the name of a tensor that has some; true, or nil and a message.
local function add_divisors(values, held)
  for _, row in ipairs(DIVISORS) do
    local list, why = header.floats(held, row[2])
    if why then return nil, why end
    if list and values[row[1]] then
      return nil, ("%s: tensor %s beside %s; expected one of them"):format(held.path, row[2], values.rope_factors)
    end
    values[row[1]] = list or values[row[1]]
    values.rope_factors = list and row[2] or values.rope_factors
  end
  return true
end

-- What no key of the metadata says, as further fields; no key has a parenthesis. True, or nil and a message.
local function add_tensors(metadata, held)
  local values = header.object({
    vocabulary = rows_of(held, "token_embd.weight"), token_types = rows_of(held, "token_types.weight"),
    output = held.found["output.weight"] ~= nil, attention_biases = biases_of(held, ATTENTION),
    ffn_biases = biases_of(held, FEED_FORWARD),
  })
  metadata["(tensors)"] = values
  return add_divisors(values, held)
end

-- -- The file -------------------------------------------------------------------------------------------------------

-- The model { made, rows, ... } and its data file; or nil and messages.
local function read_model(path, held, given, ignored)
  local data, why = data_of(path, held.metadata)
  if not data then return nil, { why } end
  local ok
  ok, why = add_tensors(held.metadata, held)
  if not ok then return nil, { why } end
  local model, errors = config(path, held.metadata, data, given, ignored)
  if not model then return nil, errors end
  model.path, model.model_type = path, ("GGUF version %d"):format(held.version)
  fields.add_given(model, given)
  local name = path:match("([^/]*)$"):gsub("%.gguf$", ""):gsub("%-00001%-of%-%d+$", "")
  model.made.name = model.made.name or fields.name_of(name, data.base)
  return model, data
end

-- Reads a file. given: flags' fields by name; options: ignored (set of keys and tensors not to ask about). Returns
-- { spec, text (of a spec file), lines (the table) }, or nil and every message.
return function(path, given, options)
  local held, why = nil, next_step.not_a_file(path)
  if not why then held, why = header.read(path) end
  if not held then return nil, { why } end
  local model, data = read_model(path, held, given, options.ignored)
  if not model then return nil, data end
  local matched, errors = match.find(held, model.made, data, options.ignored, path)
  if not matched then return nil, errors end
  local head = ("-- From a GGUF file of llama.cpp: architecture %s.\n"):format(model.architecture)
  return { spec = matched.spec, text = head .. spec.text(matched.spec), lines = report.lines(model, held, matched) }
end
