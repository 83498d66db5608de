-- path.lua: one layer of attention as operations over tensors: what each of its phases reads and writes, and between
-- them what features declare. Says how large a buffer is by the plan's sizes; decides no size and lays nothing out.
local formats = require "formats"
local features = require "attention"

local path = {}

-- Whether real rows are copied one after the other first. Heads that are given are copied one by one anyway, and a
-- stack's rows have no padding.
function path.gathers(spec)
  return spec.projects.q and not spec.is_part and (spec.lengths or spec.vocab_size ~= nil)
end

-- Whether rows of the output are computed apart, and go to their places at the end.
local function scatters(spec)
  return spec.lengths and spec.projects.q and not spec.is_part
end

local function has_concat(plan)
  return not plan.finish:find("in_place", 1, true)
end

-- -- Tensors ----------------------------------------------------------------------------------------------------------

-- The shapes of what a call gives and takes: rows, or where nothing is projected, heads.
local ROWS = {
  query = { "batch", "q_len", "d_model" }, key = { "batch", "kv_len", "k_dim" }, value = { "batch", "kv_len", "v_dim" },
  output = { "batch", "q_len", "d_out" },
}
local HEADS = {
  query = { "batch", "n_heads", "q_len", "d_head" }, key = { "batch", "n_kv_heads", "kv_len", "d_head" },
  value = { "batch", "n_kv_heads", "kv_len", "d_v" }, output = { "batch", "n_heads", "q_len", "d_v" },
}

local function call_tensors(spec, add)
  local shapes = spec.projects.q and ROWS or HEADS
  for _, name in ipairs({ "query", "key", "value", "output" }) do
    add({ name = name, shape = shapes[name], is = name == "output" and name or "input" })
  end
  if spec.vocab_size then add({ name = "tokens", shape = { "batch", "q_len" }, dtype = "i32", is = "input" }) end
  if spec.attention_output then
    add({ name = "attention", shape = { "batch", "n_heads", "q_len", "kv_len" }, is = "output" })
  end
end

-- What a slot holds: a group's rows of one key head and of the query heads that share it.
local function slot_tensors(spec, plan, add)
  local heads = spec.n_heads / spec.n_kv_heads
  local function of_slot(name, unit, shape, floats)
    add({ name = name, owner = "slot", unit = unit, shape = shape, floats = floats })
  end
  of_slot("q", "q_row", { "q_rows", "heads_per_kv", "d_head" }, heads * plan.head_stride)
  of_slot("k", "kv_row", { "kv_rows", "d_head" }, plan.head_stride)
  of_slot("v", "kv_row", { "kv_rows", "d_v" }, plan.head_stride)
end

-- Keys and values as narrow products of attention read them, the scales of values, rows of a block's queries, and
-- where a cache keeps others a panel of its keys or values as floats.
local function narrow_attention_tensors(plan, add)
  local A, panel = plan.attended, plan.key_panel
  local function of_thread(name, unit, shape, bytes)
    add({ name = name, owner = "thread", unit = unit, shape = shape, floats = math.ceil(bytes / 4) })
  end
  if not A.reads_cache then
    of_thread("panels", "panel", { "panels", "narrow", "key_panel" }, A.panel * A.X.panel.bytes)
    of_thread("values", "panel", { "keys", "narrow" }, panel * plan.head_stride * A.X.panel.bytes)
  end
  of_thread("value_scales", "panel", { "keys" }, panel * 4)
  of_thread("queries", "once", { "block", "narrow" }, plan.block_tiles * plan.score.mr * A.query_bytes)
  if A.rounds_cache then
    of_thread("cached_rows", "once", { "key_panel", "d_head" }, panel * plan.head_stride * 4)
  end
end

-- The type of the steps of cached rows; nil where these have none.
local function cached_steps(spec)
  return formats.of_rows(spec.cache_dtype).scales
end

-- What a thread has for itself; where there is a cache, keys are in panels already.
local function thread_tensors(spec, plan, add)
  if spec.cache then
    local kept_as = spec.cache_dtype
    add({ name = "cached_keys", shape = { "panels", "d_head", "key_panel" }, is = "cache", dtype = kept_as })
    add({ name = "cached_values", shape = { "keys", "d_v" }, is = "cache", dtype = kept_as })
    local steps = cached_steps(spec)
    if steps then add({ name = "value_steps", shape = { "keys" }, is = "cache", dtype = steps }) end
  end
  if plan.attended.is_narrow then
    narrow_attention_tensors(plan, add)
  elseif not spec.cache then
    add({ name = "panels", owner = "thread", unit = "panel", shape = { "panels", "d_head", "key_panel" },
      floats = spec.d_head * plan.key_panel })
  end
  if plan.products_room then
    add({ name = "products", owner = "thread", unit = "once", shape = { "products", "tile" },
      floats = plan.products_room })
  end
  add({ name = "scores", owner = "thread", unit = "once", shape = { "block", "keys" },
    floats = plan.block_tiles * plan.score.mr * plan.scores_stride })
end

-- Rows of inputs and of heads as narrow products read them.
local function narrow_tensors(plan, of_round)
  for _, row in ipairs({ { "q", "q_row" }, { "k", "kv_row" }, { "v", "kv_row" } }) do
    local f = plan.project_of[row[1]]
    if f and f.made then of_round("rows_" .. row[1], row[2], { row[2] .. "s", "narrow" }, f.made / 4) end
  end
  local made = plan.out and plan.out.made
  if made then of_round("rows_heads", "q_row", { "q_rows", "narrow" }, made / 4) end
end

local function round_tensors(spec, plan, add)
  local function of_round(name, unit, shape, floats)
    add({ name = name, owner = "round", unit = unit, shape = shape, floats = floats })
  end
  if has_concat(plan) then of_round("concat", "q_row", { "q_rows", "heads" }, plan.concat) end
  if path.gathers(spec) then
    of_round("x_q", "q_row", { "q_rows", "d_model" }, spec.d_model)
    of_round("x_k", "kv_row", { "kv_rows", "k_dim" }, spec.k_dim)
    of_round("x_v", "kv_row", { "kv_rows", "v_dim" }, spec.v_dim)
  end
  narrow_tensors(plan, of_round)
  if scatters(spec) then of_round("y", "q_row", { "q_rows", "d_out" }, spec.d_out) end
end

-- Hands the tensors of a layer to add, its buffers in the order in which they lie in scratch. A buffer has besides
-- owner, unit, floats: each slot (a group of sequences and a key head), each thread or the whole round owns
-- `floats` for every unit: a row of queries or of keys, a panel of one sequence's keys, or just once.
function path.tensors(spec, plan, add)
  call_tensors(spec, add)
  slot_tensors(spec, plan, add)
  thread_tensors(spec, plan, add)
  round_tensors(spec, plan, add)
  for _, feature in ipairs(features) do
    if feature.tensors then feature.tensors(spec, plan, add) end
  end
end

-- -- Operations -------------------------------------------------------------------------------------------------------

-- Roles of a feature.
local function roles_of(feature, spec)
  local names = {}
  if feature.roles then feature.roles(spec, function(name) names[#names + 1] = name end) end
  return names
end

-- What features declare at a stage, in their order.
local function add_features(spec, add, stage)
  for _, feature in ipairs(features) do
    local function add_here(at, op)
      if at == stage then add(op) end
    end
    if feature.operations then feature.operations(spec, add_here) end
  end
end

local function weights_of(spec, name)
  return { name .. "_weight", spec.bias[name] and name .. "_bias" or nil }
end

-- Narrow rows, or sums of rows, from rows of floats; returns their name.
local function add_narrow_rows(add, from, to, op)
  add({ name = to, op = op or "quantise", reads = { from }, writes = { to } })
  return to
end

local function add_inputs(spec, plan, add)
  local gathers = path.gathers(spec)
  if gathers then
    add({ name = "gather", op = spec.vocab_size and "lookup or copy" or "copy", writes = { "x_q", "x_k", "x_v" },
      reads = { "query", "key", "value", spec.vocab_size and "tokens" or nil },
      weights = { spec.vocab_size and "embedding" or nil } })
  end
  for _, row in ipairs({ { "k", "key" }, { "v", "value" }, { "q", "query" } }) do
    local name, input = row[1], row[2]
    local projects = spec.projects[name]
    local from = gathers and "x_" .. name or input
    local f = projects and plan.project_of[name]
    if f and f.made then from = add_narrow_rows(add, from, "rows_" .. name, f.levels and "sum") end
    add({ name = (projects and "project_" or "copy_") .. name, op = projects and "linear" or "copy",
      writes = { name, projects and spec.matmul_levels and "products" or nil },
      reads = { from }, weights = projects and weights_of(spec, name) or {} })
  end
end

-- Score modifiers, in the order in which they apply: each changes scores in place, if it does not say otherwise.
local function add_modifiers(spec, add)
  for _, place in ipairs(features.SCORE_ORDER) do
    for _, feature in ipairs(features) do
      if feature.score_order == place and not feature.operations and feature.on(spec) then
        add({ name = feature.name, op = place, reads = { "scores" }, writes = { "scores" },
          weights = roles_of(feature, spec) })
      end
    end
  end
end

-- What products of attention read, from q, k and v.
local function add_operands(spec, plan, add)
  local A, keys, values = plan.attended, "k", "v"
  if spec.cache then
    local cached = { "cached_keys", "cached_values", cached_steps(spec) and "value_steps" }
    add({ name = "append", op = "copy", reads = { "k", "v" }, writes = cached })
    if A.reads_cache and not A.is_narrow then return "q", cached[1], cached[2] end
    if A.reads_cache then
      add({ name = "value_scales", op = "copy", reads = { "value_steps" }, writes = { "value_scales" } })
      return add_narrow_rows(add, "q", "queries"), cached[1], cached[2]
    end
    keys, values = "cached_rows", "cached_rows"
    add({ name = "read_cache", op = "copy", reads = cached, writes = { "cached_rows" } })
  end
  add({ name = "pack_keys", op = A.is_narrow and "quantise" or "transpose", reads = { keys }, writes = { "panels" } })
  if not A.is_narrow then return "q", "panels", "v" end
  add({ name = "pack_values", op = "quantise", reads = { values }, writes = { "values", "value_scales" } })
  return add_narrow_rows(add, "q", "queries"), "panels", "values"
end

local function add_attention(spec, plan, add, heads)
  local queries, keys, values = add_operands(spec, plan, add)
  add({ name = "score", op = "product", reads = { queries, keys }, writes = { "scores" } })
  add_features(spec, add, "multiplied")
  add_modifiers(spec, add)
  add_features(spec, add, "scored")
  add({ name = "softmax", op = "softmax", reads = { "scores" }, writes = { "scores" } })
  add_features(spec, add, "weighed")
  if plan.attended.X.steps then
    add({ name = "weigh_steps", op = "scale", reads = { "scores", "value_steps" }, writes = { "scores" } })
  end
  if plan.attended.is_narrow then
    add({ name = "narrow_weights", op = "quantise", reads = { "scores", "value_scales" }, writes = { "scores" } })
  end
  add({ name = "value", op = "product", reads = { "scores", values }, writes = { heads } })
end

-- Hands the operations of a layer to add, in order.
function path.operations(spec, plan, add)
  local result = scatters(spec) and "y" or "output"
  local heads = has_concat(plan) and "concat" or result
  add_inputs(spec, plan, add)
  add_features(spec, add, "projected")
  add_attention(spec, plan, add, heads)
  add_features(spec, function(op)
    op.reads[#op.reads + 1], op.writes[#op.writes + 1] = op.of_heads and heads or nil, op.of_heads and heads or nil
    add(op)
  end, "attended")
  if heads ~= result then
    if plan.out and plan.out.made then heads = add_narrow_rows(add, heads, "rows_heads", plan.out.levels and "sum") end
    add({ name = "out", op = spec.projects.o and "linear" or "copy", reads = { heads },
      writes = { result, plan.out and plan.out.levels and "products" or nil },
      weights = spec.projects.o and weights_of(spec, "o") or {} })
  end
  add_features(spec, function(op)
    op.reads, op.writes = { result }, { result }
    add(op)
  end, "output")
  if result ~= "output" then add({ name = "scatter", op = "copy", reads = { result }, writes = { "output" } }) end
end

return path
