-- gguf_files.lua: GGUF files for the facts of --from-gguf: small ones of each architecture with zeros for weights, and
-- the words to read and refuse them with. States no fact.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local from_gguf = require "import.from_gguf"

local gguf = { fact = fact }

-- -- Bytes ----------------------------------------------------------------------------------------------------------

-- A whole number from 0 in so many bytes, the lowest first.
function gguf.number(value, size)
  local bytes = {}
  for i = 1, size do
    bytes[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

function gguf.string(value)
  return gguf.number(#value, 8) .. value
end

-- Values by their type: the number of the type and the bytes. f32 takes its bits.
local VALUES = {
  u32 = function(value) return 4, gguf.number(value, 4) end,
  f32 = function(bits) return 6, gguf.number(bits, 4) end,
  bool = function(value) return 7, gguf.number(value and 1 or 0, 1) end,
  text = function(value) return 8, gguf.string(value) end,
  u64 = function(value) return 10, gguf.number(value, 8) end,
  raw = function(value) return value[1], value[2] end,
}

-- A key of the metadata: { name, type, value }.
local function key_bytes(key)
  local number, bytes = VALUES[key[2]](key[3])
  return gguf.string(key[1]) .. gguf.number(number, 4) .. bytes
end

local function tensor_bytes(tensor, offset)
  local parts = { gguf.string(tensor[1]), gguf.number(#tensor[2], 4) }
  for i = #tensor[2], 1, -1 do parts[#parts + 1] = gguf.number(tensor[2][i], 8) end
  return table.concat(parts) .. gguf.number(tensor[3] or 0, 4) .. gguf.number(offset, 8)
end

-- A whole file. keys: { name, type, value } each; tensors: { name, shape, ggml's number of the type (0: F32), bits of
-- the floats (nil: zeros) } each, whose data have four bytes an element.
function gguf.file(keys, tensors, version)
  local parts, data, offset = {}, {}, 0
  for _, key in ipairs(keys) do parts[#parts + 1] = key_bytes(key) end
  for _, tensor in ipairs(tensors) do
    parts[#parts + 1] = tensor_bytes(tensor, offset)
    local elements = 1
    for _, size in ipairs(tensor[2]) do elements = elements * size end
    local floats = {}
    for i, bits in ipairs(tensor[4] or {}) do floats[i] = gguf.number(bits, 4) end
    local bytes = math.ceil(elements * 4 / 32) * 32
    data[#data + 1] = table.concat(floats) .. ("\0"):rep(bytes - 4 * #floats)
    offset = offset + bytes
  end
  local header = "GGUF" .. gguf.number(version or 3, 4) .. gguf.number(#tensors, 8) .. gguf.number(#keys, 8) ..
    table.concat(parts)
  return header .. ("\0"):rep(-#header % 32) .. table.concat(data)
end

-- -- Models ---------------------------------------------------------------------------------------------------------

local EPS_1E_5, THETA_500000 = 0x3727C5AC, 0x48F42400 -- 1e-5 and 500000 as floats

-- The keys of a model of width 8, with the architecture's name before those of `more` that have a dot in front.
local function keys(architecture, more)
  local list = { { "general.architecture", "text", architecture } }
  local function add(row) list[#list + 1] = { row[1]:gsub("^%.", architecture .. "."), row[2], row[3] } end
  for _, row in ipairs({ { ".embedding_length", "u32", 8 }, { ".block_count", "u32", 1 },
    { ".feed_forward_length", "u32", 12 }, { ".attention.head_count", "u32", 2 }, { ".context_length", "u32", 20 } }) do
    add(row)
  end
  for _, row in ipairs(more) do add(row) end
  for _, row in ipairs(list) do row[1] = row[1]:match("^[^ ]+") end
  return list
end

local DECODER = { { ".attention.head_count_kv", "u32", 1 }, { ".attention.layer_norm_rms_epsilon", "f32", EPS_1E_5 },
  { ".rope.freq_base", "f32", THETA_500000 } }

local function joined(...)
  local all = {}
  for _, list in ipairs({ ... }) do
    for _, item in ipairs(list) do all[#all + 1] = item end
  end
  return all
end

local DECODER_TENSORS = { { "token_embd.weight", { 7, 8 } }, { "blk.0.attn_norm.weight", { 8 } },
  { "blk.0.attn_q.weight", { 8, 8 } }, { "blk.0.attn_k.weight", { 4, 8 } }, { "blk.0.attn_v.weight", { 4, 8 } },
  { "blk.0.attn_output.weight", { 8, 8 } }, { "blk.0.ffn_norm.weight", { 8 } },
  { "blk.0.ffn_gate.weight", { 12, 8 } }, { "blk.0.ffn_up.weight", { 12, 8 } }, { "blk.0.ffn_down.weight", { 8, 12 } },
  { "output_norm.weight", { 8 } } }

local FUSED_TENSORS = { { "token_embd.weight", { 7, 8 } }, { "blk.0.attn_norm.weight", { 8 } },
  { "blk.0.attn_qkv.weight", { 16, 8 } }, { "blk.0.attn_output.weight", { 8, 8 } }, { "blk.0.ffn_norm.weight", { 8 } },
  { "blk.0.ffn_up.weight", { 24, 8 } }, { "blk.0.ffn_down.weight", { 8, 12 } }, { "output_norm.weight", { 8 } },
  { "output.weight", { 7, 8 } } }

local QKV_BIASES = { { "blk.0.attn_q.bias", { 8 } }, { "blk.0.attn_k.bias", { 4 } }, { "blk.0.attn_v.bias", { 4 } } }
local HEAD_NORMS = { { "blk.0.attn_q_norm.weight", { 4 } }, { "blk.0.attn_k_norm.weight", { 4 } } }

-- A norm's two vectors.
local function norm(name)
  return { { name .. ".weight", { 8 } }, { name .. ".bias", { 8 } } }
end

-- Linears with biases: { name, rows, columns } each.
local function linears(list)
  local tensors = {}
  for _, row in ipairs(list) do
    tensors[#tensors + 1] = { row[1] .. ".weight", { row[2], row[3] } }
    tensors[#tensors + 1] = { row[1] .. ".bias", { row[2] } }
  end
  return tensors
end

local FFN = { { "blk.0.ffn_up", 12, 8 }, { "blk.0.ffn_down", 8, 12 } }
local LAYER_EPS = { { ".attention.layer_norm_epsilon", "f32", EPS_1E_5 } }

-- Tensors without those of some names.
local function without(tensors, names)
  local kept = {}
  for _, row in ipairs(tensors) do
    if not (" " .. names .. " "):find(" " .. row[1]:gsub("%.weight$", "") .. " ", 1, true) then
      kept[#kept + 1] = row
    end
  end
  return kept
end

local RESULT_NORMS = { { "blk.0.post_attention_norm.weight", { 8 } }, { "blk.0.post_ffw_norm.weight", { 8 } } }
local NEOX_TENSORS = joined({ { "token_embd.weight", { 7, 8 } } }, norm("blk.0.attn_norm"),
  linears({ { "blk.0.attn_qkv", 24, 8 }, { "blk.0.attn_output", 8, 8 } }), norm("blk.0.ffn_norm"), linears(FFN),
  norm("output_norm"))
local ENCODER = joined(LAYER_EPS, { { ".attention.causal", "bool", false },
  { ".rope.freq_base", "f32", THETA_500000 } })

-- Keys and tensors by architecture.
gguf.MODELS = {
  gemma = { keys("gemma", DECODER), DECODER_TENSORS },
  gemma2 = { keys("gemma2", DECODER), joined(DECODER_TENSORS, RESULT_NORMS) },
  gemma3 = { keys("gemma3", DECODER), joined(DECODER_TENSORS, RESULT_NORMS, HEAD_NORMS) },
  olmo2 = { keys("olmo2", DECODER), joined(without(DECODER_TENSORS, "blk.0.attn_norm blk.0.ffn_norm"), RESULT_NORMS,
    { { "blk.0.attn_q_norm.weight", { 8 } }, { "blk.0.attn_k_norm.weight", { 4 } } }) },
  gptneox = { keys("gptneox", LAYER_EPS), NEOX_TENSORS },
  ["nomic-bert"] = { keys("nomic-bert", ENCODER), joined({ { "token_embd.weight", { 7, 8 } },
    { "token_types.weight", { 2, 8 } } }, norm("token_embd_norm"), { { "blk.0.attn_qkv.weight", { 24, 8 } },
    { "blk.0.attn_output.weight", { 8, 8 } } }, norm("blk.0.attn_output_norm"), { { "blk.0.ffn_up.weight", { 12, 8 } },
    { "blk.0.ffn_gate.weight", { 12, 8 } }, { "blk.0.ffn_down.weight", { 8, 12 } } },
    norm("blk.0.layer_output_norm")) },
  ["modern-bert"] = { keys("modern-bert", joined(ENCODER, { { ".attention.sliding_window", "u32", 8 },
    { ".rope.scaling.type", "text", "none" } })), joined({ { "token_embd.weight", { 7, 8 } },
    { "token_embd_norm.weight", { 8 } }, { "output_norm.weight", { 8 } }, { "blk.0.attn_qkv.weight", { 24, 8 } } },
    without(FUSED_TENSORS, "token_embd blk.0.attn_norm blk.0.attn_qkv output_norm output")) },
  llama = { keys("llama", joined(DECODER, { { ".rope.dimension_count", "u32", 4 } })),
    joined(DECODER_TENSORS, { { "output.weight", { 7, 8 } } }) },
  qwen2 = { keys("qwen2", DECODER), joined(DECODER_TENSORS, QKV_BIASES) },
  qwen3 = { keys("qwen3", joined(DECODER, { { ".attention.key_length", "u32", 4 },
    { ".attention.value_length", "u32", 4 } })), joined(DECODER_TENSORS, HEAD_NORMS) },
  granite = { keys("granite", DECODER), DECODER_TENSORS },
  phi3 = { keys("phi3", DECODER), FUSED_TENSORS },
  gpt2 = { keys("gpt2", LAYER_EPS), joined({ { "token_embd.weight", { 7, 8 } }, { "position_embd.weight", { 20, 8 } } },
    norm("blk.0.attn_norm"), linears({ { "blk.0.attn_qkv", 24, 8 }, { "blk.0.attn_output", 8, 8 } }),
    norm("blk.0.ffn_norm"), linears(FFN), norm("output_norm")) },
  bert = { keys("bert", joined(LAYER_EPS, { { ".attention.causal", "bool", false }, { ".pooling_type", "u32", 2 } })),
    joined({ { "token_embd.weight", { 7, 8 } }, { "position_embd.weight", { 20, 8 } },
      { "token_types.weight", { 2, 8 } } }, norm("token_embd_norm"),
    linears({ { "blk.0.attn_q", 8, 8 }, { "blk.0.attn_k", 8, 8 }, { "blk.0.attn_v", 8, 8 },
      { "blk.0.attn_output", 8, 8 } }), norm("blk.0.attn_output_norm"), linears(FFN),
    norm("blk.0.layer_output_norm")) },
}

-- The file of an architecture, with keys and tensors of `more` after its own; one of an own name replaces it.
function gguf.model(architecture, more)
  local lists = {}
  for i = 1, 2 do
    local extra, replaced, list = more and more[i] or {}, {}, {}
    for _, row in ipairs(extra) do replaced[row[1]] = row end
    for _, row in ipairs(gguf.MODELS[architecture][i]) do
      list[#list + 1] = replaced[row[1]] or row
      replaced[row[1]] = nil
    end
    for _, row in ipairs(extra) do list[#list + 1] = replaced[row[1]] end
    lists[i] = list
  end
  return gguf.file(lists[1], lists[2])
end

-- -- Reading --------------------------------------------------------------------------------------------------------

-- A path of its own for each test under each Lua, as they run side by side.
local PATH = fact.folder(arg[0]:match("([%w_]+)%.lua$") .. (compat.version:find("JIT") and "_luajit" or "")) ..
  "Tiny-1.gguf"

-- Reads these bytes as a file: what from_gguf returns.
function gguf.read(content, given, ignored)
  fact.write(PATH, content)
  return from_gguf(PATH, given or {}, { ignored = ignored or {} })
end

-- What comes of a file that must do.
function gguf.reads(content, given, ignored)
  local result, errors = gguf.read(content, given, ignored)
  if not result then error(table.concat(errors, "\n"), 2) end
  return result
end

-- Refused with just these messages, the file's path before each.
function gguf.refuses(content, ...)
  local result, errors = gguf.read(content)
  fact.equal(result, nil)
  local expected = {}
  for i, message in ipairs({ ... }) do expected[i] = PATH .. ": " .. message end
  fact.lists_equal(errors, expected)
end

return gguf
