-- maps/init.lua: the weight-name maps that ship, one data file each, and how a map answers for one weight. A map is a
-- table like a spec's `weights` field; qkv_weight and qkv_bias hold q, k and v stacked by rows, or, with transposed =
-- true ([in,out]), side by side by columns; up_gate_weight and up_gate_bias hold up and gate in this way. With
-- by_head, qkv_weight and qkv_bias hold q, k and v of the first head, then those of the second, and so on. Under
-- `refuses` stand, by role, tensors of other modules that go by the same names: a file that holds one is never read by
-- this map, unless the spec has its numbers: `of_spec` gives, by role, the field of rope that has them. `inside` is a
-- set of roles without the prefix in files of other maps, and with it in those of this one; `varies` lists the roles
-- by which a map differs from another, without any of which it is not offered, `only_with` those without one of which
-- it is not; a map `on_demand` is offered only where the spec names it. Under `transformed` stand what logits are
-- called after a transform, tied_bias the bias of tied ones; under `vectors` what logits of length one are called.
-- `spare` is a set of roles whose tensors a file may hold if the spec leaves them out. A weight of a score modifier
-- (one of spec.modifier_weights) that no map here names is called in a file as its role is: no module that has it is
-- known.
local text = require "base.text"

local maps = {}

local NAMES = {
  "w_o", "w_concat", "proj", "torch_mha", "llama", "qwen3", "bert", "gpt2", "vit", "timm", "t5", "mpt",
}

local STACK_NAMES = {
  "bert", "bert_gamma", "bert_one_bias", "bert_colbert", "roberta", "roberta_one_bias", "mpnet", "mpnet_one_bias",
  "deberta_v2", "modernbert", "modernbert_labels", "nomic_bert", "gte", "distilbert", "gpt2", "gpt_neox", "llama",
  "phi3", "gemma2", "vit", "torch_encoder", "torch_decoder", "torch_transformer", "tutorial", "gguf", "gguf_phi3",
  "gguf_gemma2", "gguf_gpt2", "gguf_bert", "gguf_nomic_bert", "gguf_modern_bert", "t5", "t5_gated", "roles",
}

-- The maps of one attention layer's weights; is_stack: those of whole models, where `layer` is what stands before the
-- names of the weights of layer %d.
function maps.names(is_stack)
  return is_stack and STACK_NAMES or NAMES
end

-- The names of all maps, each once, those of one layer first.
function maps.all_names()
  local names, seen = {}, {}
  for _, is_stack in ipairs({ false, true }) do
    for _, name in ipairs(maps.names(is_stack)) do
      names[#names + 1] = not seen[name] and name or nil
      seen[name] = true
    end
  end
  return names
end

local ships = {} -- maps as sets, those of a transformer's sides too

-- The map of that name, or nil.
function maps.get(name, is_stack)
  for _, known in ipairs(maps.names(is_stack)) do
    if known == name then
      local map = require((is_stack and "import.maps.stack." or "import.maps.") .. name)
      ships[map] = true
      for _, side in ipairs({ "encoder", "decoder" }) do
        if map[side] then ships[map[side]] = true end
      end
      return map
    end
  end
end

-- Whether a map that ships, of layers or of whole models, names a tensor for a role of one layer.
local function is_named(role, is_stack)
  for _, name in ipairs(maps.names(is_stack)) do
    if maps.get(name, is_stack)[role] then return true end
  end
  return false
end

-- The tensor of a modifier's weight where it goes by its own name; nil where it does not.
local function own_name(spec, map, role)
  if not ships[map] then return nil end
  for _, name in ipairs(spec.modifier_weights) do
    if name == role and not is_named(role, spec.stack) then return role end
  end
end

local STACKED = { "q", "k", "v" }

-- How many of the projections that a stacked bias serves add one.
local function stacked_biases(spec)
  local count = 0
  for _, p in ipairs(STACKED) do count = count + (spec.bias[p] and 1 or 0) end
  return count
end

-- Whether a tensor can hold this part of q, k and v: weights only where their inputs are equally wide, biases only
-- where each of the three adds one, or part of the file would go unread; by head where there are as many of each.
local function can_stack(spec, map, part)
  if map.by_head and spec.n_kv_heads ~= spec.n_heads then return false end
  if part == "bias" then return stacked_biases(spec) == #STACKED end
  return spec.k_dim == spec.d_model and spec.v_dim == spec.d_model
end

-- Whether a spec has a role of that name.
function maps.has_role(spec, name)
  for _, role in ipairs(spec.roles) do
    if role.name == name then return true end
  end
  return false
end

-- The tensor of a role where logits come after a transform and their weight or bias has another name then, or nil.
local function transformed_name(spec, map, role)
  local names = map.transformed
  if not names or not names[role] or not maps.has_role(spec, "logits_dense_weight") then return nil end
  return role == "logits_bias" and not maps.has_role(spec, "logits_weight") and names.tied_bias or names[role]
end

-- The layer of a stack that a role belongs to and what it is there; nil where it belongs to none.
function maps.in_layer(role)
  local layer, inner = role:match("layers%.(%d+)%.(.*)$")
  return tonumber(layer), inner
end

-- The tensor of a linear after pooling, as a folder of sentence-transformers has it: the stack and the pooling come
-- before the module 2_Dense, whose tensors the loader finds after its name (runtime/weights/weights_modules.h). Nil for
-- other roles.
local function dense_name(role)
  local i, part = role:match("^dense_(%d+)_(%a+)$")
  return i and ("%d_Dense.linear.%s"):format(i + 2, part)
end

-- The tensor of the linear that makes vectors of tokens, whose module comes after the stack alone; a map says another
-- under `vectors`. Nil for other roles.
local function vector_name(spec, map, role)
  local part = role:match("^logits_(%a+)$")
  if not part or not ships[map] or not spec.logits or spec.logits.kind ~= "unit" then return nil end
  return map.vectors and map.vectors[role] or "1_Dense.linear." .. part
end

-- The tensor that holds a role: its name and whether it is stacked with others; nil where the map names none. Names
-- under `separate` serve where what the map stacks cannot be.
function maps.source(spec, map, role)
  if map.roles then return role, false end
  local side, of_side = role:match("^(%l+coder)%.(.*)$")
  if side then return maps.source(spec[side .. "_spec"], map[side] or {}, of_side) end
  local layer, inner = maps.in_layer(role)
  if layer then
    local tensor, is_stacked = maps.source(spec, map, inner)
    local before = map.layer or spec.n_layers == 1 and "" -- of one layer names need not say which
    return tensor and before and before:format(layer) .. tensor, is_stacked
  end
  local vector = vector_name(spec, map, role)
  if vector then return vector, false end
  if map[role] then return transformed_name(spec, map, role) or map[role], false end
  local gated_part = role:match("^gate_(%a+)$") or role:match("^up_(%a+)$")
  if gated_part and map["up_gate_" .. gated_part] then return map["up_gate_" .. gated_part], true end
  local whose, projection, part = role:match("^(%a*_?)([qkv])_(%a+)$")
  local stacked = projection and map[whose .. "qkv_" .. part]
  if stacked and can_stack(spec, map, part) then return stacked, true end
  return map.separate and map.separate[role] or ships[map] and dense_name(role) or own_name(spec, map, role), false
end

-- What the bias of a weight is called where the map does not say: PyTorch's modules keep both under one name.
local function bias_of(map, projection)
  local weight = map[projection .. "_weight"]
  return map[projection .. "_bias"] or (weight and weight:find("weight$") and weight:gsub("weight$", "bias")) or nil
end

-- Biases and what else a stack may have learned that its spec leaves out, of its layers and outside them.
local STACK_PARTS = {
  { roles = { "q_bias", "k_bias", "v_bias", "o_bias", "gate_weight", "gate_bias", "up_bias", "down_bias",
    "q_norm_weight", "k_norm_weight", "attention_norm_bias", "ffn_norm_bias" }, is_layer = true },
  { roles = { "positions", "token_types", "embedding_norm_weight", "embedding_norm_bias", "final_norm_weight",
    "final_norm_bias" } },
}

-- Appends what linears after pooling there must not be: a further one, and biases that the spec leaves out.
local function add_dense_refused(list, spec, map)
  local count = spec.dense and #spec.dense.sizes or 0
  local roles = { ("dense_%d_weight"):format(count) }
  for i = 0, count - 1 do roles[#roles + 1] = ("dense_%d_bias"):format(i) end
  for _, role in ipairs(roles) do
    local tensor = not maps.has_role(spec, role) and maps.source(spec, map, role)
    if tensor then list[#list + 1] = { role = role, tensor = tensor } end
  end
end

local function stack_refused(spec, map)
  local list = {}
  if map.roles or spec.kind == "transformer" then return list end
  add_dense_refused(list, spec, map)
  for _, part in ipairs(STACK_PARTS) do
    for _, name in ipairs(part.roles) do
      local role = part.is_layer and "layers.0." .. name or name
      local is_known = maps.has_role(spec, role) or map.spare and map.spare[name]
      local tensor = not is_known and maps.source(spec, map, role)
      if tensor then list[#list + 1] = { role = role, tensor = tensor } end
    end
  end
  for _, role in ipairs(text.sorted_keys(map.refuses or {})) do
    local is_of_layer, field = role:find("^layers%."), (map.of_spec or {})[role]
    if not (field and spec.rope and spec.rope[field]) then
      list[#list + 1] = { role = role, tensor = (is_of_layer and map.layer:format(0) or "") .. map.refuses[role] }
    end
  end
  return list
end

-- What a module learns besides its projections and what its scores are changed by.
local LEARNED = {
  "bias_k", "bias_v", "q_norm_weight", "q_norm_bias", "k_norm_weight", "k_norm_bias", "sinks",
}

-- Tensors that a file of this map must not hold, as { role, tensor }: biases that the spec's projections do not add,
-- what else is learned and the spec leaves out, and what tells of another module. Without them the file would give
-- other numbers than its module.
function maps.refused(spec, map)
  if spec.stack then return stack_refused(spec, map) end
  local list = {}
  local function add(projection)
    local tensor = bias_of(map, projection)
    if tensor then list[#list + 1] = { role = projection .. "_bias", tensor = tensor } end
  end
  if stacked_biases(spec) == 0 then add("qkv") end
  for _, p in ipairs({ "q", "k", "v", "o" }) do
    if spec.projects[p] and not spec.bias[p] then add(p) end
  end
  for _, learned in ipairs({ LEARNED, spec.modifier_weights }) do
    for _, role in ipairs(learned) do
      local tensor = map[role] and not maps.has_role(spec, role) and map[role] or map.refuses and map.refuses[role]
      if tensor then list[#list + 1] = { role = role, tensor = tensor } end
    end
  end
  return list
end

return maps
