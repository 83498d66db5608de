-- hf_folders.lua: model folders for the facts of --from-hf: small config.json files, and the words to read and refuse
-- them with. Holds no weights and states no fact.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local from_hf = require "import.from_hf"

local hf = { fact = fact }

hf.BERT = [["model_type": "bert", "architectures": ["BertModel"], "hidden_size": 8, "num_attention_heads": 2,
  "num_hidden_layers": 2, "intermediate_size": 12, "vocab_size": 7, "max_position_embeddings": 20]]
hf.ROBERTA = hf.BERT:gsub('"bert"', '"roberta"'):gsub("BertModel", "RobertaModel") .. ', "pad_token_id": 1'
hf.DISTILBERT = [["model_type": "distilbert", "architectures": ["DistilBertForMaskedLM"], "dim": 8, "n_heads": 2,
  "n_layers": 1, "hidden_dim": 12, "vocab_size": 7, "max_position_embeddings": 20, "activation": "relu",
  "sinusoidal_pos_embds": false]]
hf.GPT2 = [["model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 8, "n_head": 2, "n_layer": 1,
  "vocab_size": 7, "n_positions": 20, "n_inner": null, "layer_norm_epsilon": 1e-05]]
hf.LLAMA = [["model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8,
  "num_attention_heads": 2, "num_key_value_heads": 1, "num_hidden_layers": 1, "intermediate_size": 12, "vocab_size": 7,
  "max_position_embeddings": 20, "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "rope_scaling": null]]
hf.QWEN2 = hf.LLAMA:gsub('"llama"', '"qwen2"'):gsub("Llama", "Qwen2")
hf.MISTRAL = hf.LLAMA:gsub('"llama"', '"mistral"'):gsub("Llama", "Mistral")
hf.QWEN3 = hf.LLAMA:gsub('"llama"', '"qwen3"'):gsub("Llama", "Qwen3") .. ', "head_dim": 6'
hf.VIT = [["model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 8,
  "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 12, "image_size": [24, 16], "patch_size": 8,
  "qkv_bias": false, "id2label": { "0": "a", "1": "b", "2": "c" }]]

-- The path of a new folder with these files.
local function folder_with(files)
  local folder = fact.folder("hf/tiny")
  local inner = {}
  for name in pairs(files) do
    local path = name:match("^(.*)/")
    if path then inner[#inner + 1] = folder .. path end
  end
  if inner[1] then assert(compat.execute("mkdir -p " .. table.concat(inner, " "))) end
  for name, content in pairs(files) do fact.write(folder .. name, content) end
  return (folder:gsub("/$", ""))
end

-- Reads these files as a model's folder: what from_hf returns.
function hf.read(files, given, options)
  options = options or {}
  return from_hf(folder_with(files), given or {}, { ignored = options.ignored or {},
    architecture = options.architecture })
end

-- The files of a folder with a config.json alone.
function hf.config(base, more)
  return { ["config.json"] = "{" .. base .. (more and ", " .. more or "") .. "}" }
end

-- What comes of a config.json that must do.
function hf.reads(base, more, given, options)
  local result, errors = hf.read(hf.config(base, more), given, options)
  if not result then error(table.concat(errors, "\n"), 2) end
  return result
end

-- Refused with just these messages, the folder's path before each.
function hf.refuses(files, expected, given, options)
  local result, errors = hf.read(files, given, options)
  fact.equal(result, nil)
  for i, message in ipairs(expected) do expected[i] = "out/test/generator/hf/tiny" .. message end
  fact.lists_equal(errors, expected)
end

-- A config.json is refused with just these messages.
function hf.refuses_config(base, more, ...)
  local expected = {}
  for i, message in ipairs({ ... }) do expected[i] = "/config.json: " .. message end
  hf.refuses(hf.config(base, more), expected)
end

return hf
