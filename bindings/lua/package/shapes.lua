-- shapes.lua: what a call takes and gives: names and shapes of struct ga_io, by the facts of the model. Runs nothing. A
-- shape is an array of numbers and of letters: B sequences, Q rows of query, K rows of key, E keys with those that the
-- model adds.
local function rows(is_by_head, axis, heads, width)
  if is_by_head then return { "B", heads, axis, width / heads } end
  return { "B", axis, width }
end

local function inputs(facts, is_by_head, additive)
  local own_keys = facts.stack and "Q" or "K"
  return {
    query = { kind = "f32", shape = rows(is_by_head, "Q", facts.n_heads, facts.d_model) },
    key = { kind = "f32", shape = rows(is_by_head, "K", facts.n_kv_heads, facts.k_dim) },
    value = { kind = "f32", shape = rows(is_by_head, "K", facts.n_kv_heads, facts.v_dim) },
    memory = { kind = "f32", shape = { "B", "K", facts.d_model } },
    sublayer = { kind = "f32", shape = { "B", "Q", facts.d_model } },
    tokens = { kind = "i32", shape = { "B", "Q" } },
    token_types = { kind = "i32", shape = { "B", "Q" } },
    key_tokens = { kind = "i32", shape = { "B", "K" } },
    q_lengths = { kind = "i32", shape = { "B" } },
    kv_lengths = { kind = "i32", shape = { "B" } },
    position = { kind = "i32", shape = { "B" } },
    kv_position = { kind = "i32", shape = { "B" } },
    mask = { spreads = { "B", facts.n_heads, "Q", own_keys }, is_additive = facts.mask == additive },
    src_mask = { spreads = { "B", facts.n_heads, "K", "K" }, is_additive = facts.mask == additive },
    memory_mask = { spreads = { "B", facts.n_heads, "Q", "K" },
      is_additive = facts.stack and facts.stack.memory_mask == additive },
  }
end

-- Inputs in the order in which they tell the sizes of a call.
local ORDER = { "query", "key", "value", "memory", "sublayer", "tokens", "token_types", "key_tokens", "q_lengths",
  "kv_lengths", "position", "kv_position", "mask", "src_mask", "memory_mask" }

local function outputs(facts, value, is_by_head)
  local stack, list = facts.stack, {}
  list.output = { shape = rows(is_by_head, "Q", facts.n_heads, facts.d_out) }
  if facts.attention_output then list.attention = { shape = { "B", facts.n_heads, "Q", "E" } } end
  if facts.attention_mean_output then list.attention_mean = { shape = { "B", "Q", "E" } } end
  if stack and stack.pool ~= value("GA_POOL_NONE") then list.embedding = { shape = { "B", stack.d_embedding } } end
  if stack and stack.logits ~= value("GA_LOGITS_NONE") then
    list.logits = { shape = { "B", "Q", stack.n_logits } }
    list.last_logits = { shape = { "B", stack.n_logits } }
  end
  if stack and stack.n_labels > 0 then list.class_logits = { shape = { "B", stack.n_labels } } end
  if facts.encoder then list.memory = { shape = { "B", "K", facts.d_model } } end
  for _, one in ipairs(facts.intermediates) do list[one.name] = { index = one.index } end
  return list
end

-- Outputs that are an array of tensors, one for each layer.
local function lists(facts, list)
  local stack, encoder = facts.stack, facts.encoder
  if not stack then return list end
  list.hidden = { count = stack.n_layers + 1, shape = { "B", "Q", facts.d_model } }
  if stack.attention then
    list.layer_attention = { count = stack.n_layers, shape = { "B", facts.n_heads, "Q", "Q" } }
  end
  if stack.cross_attention then
    list.layer_cross_attention = { count = stack.n_layers, shape = { "B", facts.n_heads, "Q", "K" } }
  end
  if encoder and encoder.attention then
    list.src_layer_attention = { count = encoder.n_layers, shape = { "B", facts.n_heads, "K", "K" } }
  end
  return list
end

local function sorted_names(list)
  local names = {}
  for name in pairs(list) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- core: of a model. Returns { inputs, order, outputs, output_names, default }: default is what a call
-- gives that names no output, the last that the model computes.
return function(core)
  local facts, value = core.facts, core.value
  local is_by_head = facts.kind == value("GA_SDPA")
  local all = lists(facts, outputs(facts, value, is_by_head))
  return { inputs = inputs(facts, is_by_head, value("GA_MASK_ADDITIVE")), order = ORDER, outputs = all,
    output_names = sorted_names(all),
    default = all.logits and "logits" or all.class_logits and "class_logits" or all.embedding and "embedding" or
      "output" }
end
