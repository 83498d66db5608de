-- disentangled.lua: scores add the product of a query and its key's relative position, and that of a key and its
-- query's, as in DeBERTa. Keys and queries of positions are constants: packing makes them from a table of relative
-- positions. A call multiplies them once for each head; each score then looks two products up by its distance.
local elementary = require "base.elementary"
local fmt = require "base.fmt"
local types = require "schema.types"

local MAX_SPAN, MAX_DISTANCE = 4096, 65536

-- The bucket of a distance from 0 on: one for each up to half of them, then ever wider ones up to max_distance.
-- PyTorch computes them in floats, which decides where one begins.
local function bucket(spec, distance)
  local f32, own = elementary.f32, math.floor(spec.disentangled.span / 2)
  if not spec.disentangled.max_distance or distance <= own then return distance end
  local longest = f32(elementary.log(f32((spec.disentangled.max_distance - 1) / own)))
  local share = f32(f32(elementary.log(f32(distance / own))) / longest)
  return math.ceil(f32(share * (own - 1))) + own
end

-- The row of the table by how far a key lies after its query, from -spec.disentangled_places on.
local function rows_by_distance(spec)
  local span, rows = spec.disentangled.span, {}
  for away = -spec.disentangled_places, spec.kv_seq_len.max - 1 do
    local signed = away <= 0 and bucket(spec, -away) or -bucket(spec, away)
    rows[#rows + 1] = ("%d"):format(math.max(0, math.min(2 * span - 1, signed + span)))
  end
  return table.concat(rows, ", ")
end

-- What a spec with it cannot have: { has, what }.
local CONFLICTS = {
  { function(spec) return spec.kind == "decoder" or spec.kind == "transformer" end, "kinds that have a decoder" },
  { function(spec) return spec.causal end, "mask.causal" },
  { function(spec) return spec.window end, "mask.window" },
  { function(spec) return spec.cache end, "cache" },
  { function(spec) return spec.n_kv_heads ~= spec.n_heads end, "n_kv_heads" },
  { function(spec) return spec.shared_heads end, 'heads = "shared"' },
  { function(spec) return spec.k_dim ~= spec.d_model end, "k_dim" },
  { function(spec) return spec.rope end, "rope" },
  { function(spec) return spec.qk_norm end, "qk_norm" },
  { function(spec) return spec.activation and (spec.activation.q or spec.activation.k) end, "activation of q or k" },
  { function(spec) return spec.extra_keys > 0 end, "add_bias_kv or add_zero_attn" },
  { function(spec) return spec.head_scale end, "head_scale" },
  { function(spec) return spec.weights_dtype ~= "f32" end, "weights_dtype" },
  { function(spec) return spec.narrow end, "a dtype other than f32" },
}

local function check(spec, fail)
  local own = spec.disentangled
  if not own.span then
    fail("disentangled.span is missing, but there are other fields of disentangled: half the rows of its table")
    spec.disentangled = nil
    return
  end
  for _, row in ipairs(CONFLICTS) do
    if row[1](spec) then fail(("disentangled is not generated with %s"):format(row[2])) end
  end
  local half = math.floor(own.span / 2)
  if own.max_distance and own.max_distance - 1 <= half then
    fail(("disentangled.max_distance (%d) must be greater than %d: disentangled.span (%d) gives distances up to %d " ..
      "a row of their own"):format(own.max_distance, half + 1, own.span, half))
  end
  return true
end

local function resolve(spec, fail)
  local own = spec.disentangled
  if not own or not check(spec, fail) then return end
  own.terms, own.own_linears = own.terms or "both", own.own_linears or false
  spec.disentangled_places = spec.seq_len.max - 1 -- the place of distance 0
  spec.score_columns = 2 * own.span
  spec.disentangled_rows = rows_by_distance
  -- Which products there are: of queries and keys of positions, of keys and queries of positions.
  own.by_query, own.by_key = own.terms ~= "p2c", own.terms ~= "c2p"
  spec.only_floats = { what = "disentangled", why = "adds products of floats to scores" }
end

-- The linear that makes keys ("k") or queries ("q") of positions.
local function linear_of(spec, name)
  return spec.disentangled.own_linears and "disentangled_" .. name or name
end

local function roles(spec, add)
  local own = spec.disentangled
  if not own then return end
  add("disentangled_table", { 2 * own.span, spec.d_model }, true)
  for _, part in ipairs(own.norm_eps and { "weight", "bias" } or {}) do
    add("disentangled_norm_" .. part, { spec.d_model }, true)
  end
  for _, of in ipairs({ { "k", own.by_query }, { "q", own.by_key } }) do
    if own.own_linears and of[2] then
      local name = of[1]
      add(("disentangled_%s_weight"):format(name), { spec.n_heads * spec.d_head, spec.d_model })
      add(("disentangled_%s_bias"):format(name), { spec.n_heads * spec.d_head })
    end
  end
end

-- What fills a part: rows of the table through a linear, head by head. layout: where place p and dimension d of a head
-- lie.
local function fill(spec, name, layout)
  local own, from = spec.disentangled, linear_of(spec, name)
  local has_norm = own.norm_eps ~= nil
  return { kind = "table_product", table = "disentangled_table", norm_weight = has_norm and "disentangled_norm_weight",
    norm_bias = has_norm and "disentangled_norm_bias", eps = own.norm_eps or 0, weight = from .. "_weight",
    bias = (own.own_linears or spec.bias[name]) and from .. "_bias", in_queries = name == "q",
    rows = 2 * own.span, columns = spec.d_model, heads = spec.n_heads, width = spec.d_head, layout = layout }
end

local function packed(spec, add, _, plan)
  if not spec.disentangled then return end
  local has, rows, panel = spec.disentangled, 2 * spec.disentangled.span, plan.key_panel
  if has.by_query then
    local floats = math.ceil(rows / panel) * panel * spec.d_head
    add("position_keys", spec.n_heads * floats, { fill(spec, "k",
      { head = floats, together = panel, run = panel * spec.d_head, row = 1, column = panel }) })
  end
  if has.by_key then
    local floats = rows * plan.head_stride
    add("position_queries", spec.n_heads * floats, { fill(spec, "q",
      { head = floats, together = 1, run = plan.head_stride, row = 0, column = 1 }) })
  end
end

local SAID = { both = "their query and its relative position, and of their key and its", c2p = "their query and its " ..
  "key's relative position", p2c = "their key and its query's relative position" }

return {
  name = "disentangled",
  fields = {
    { field = "disentangled.span", flag = "--disentangled-span", check = types.count(2, MAX_SPAN), default = "none",
      help = "scores add products with relative positions, as in DeBERTa; their table has 2N rows",
      group = "positions", example = "disentangled = { span = 8 }" },
    { field = "disentangled.max_distance", flag = "--disentangled-distance", check = types.count(3, MAX_DISTANCE),
      default = "none",
      help = "only distances up to half of disentangled.span have a row of their own, and wider and wider buckets " ..
        "reach N; none: distances of disentangled.span and more share a row",
      group = "positions", example = "disentangled = { span = 8, max_distance = 30 }" },
    { field = "disentangled.terms", flag = "--disentangled-terms", check = types.choice({ "both", "c2p", "p2c" }),
      default = "both",
      help = "c2p: products of a query and its key's position; p2c: of a key and its query's position",
      group = "positions", example = 'disentangled = { span = 8, terms = "c2p" }' },
    { field = "disentangled.norm_eps", flag = "--disentangled-norm-eps", check = types.number(0, 1),
      default = "none: no norm", help = "the rows of the table go through a LayerNorm with this eps",
      group = "positions", example = "disentangled = { span = 8, norm_eps = 1e-7 }" },
    { field = "disentangled.own_linears", flag = "--disentangled-own", check = types.boolean, default = "no",
      help = "relative positions have linears of their own; no: those of k and q",
      group = "positions", example = "disentangled = { span = 8, own_linears = true }" },
  },
  resolve = resolve,
  roles = roles,
  packed = packed,
  -- by_query: of a block of rows, by_key: of a head, row: of one query.
  tensors = function(spec, plan, add)
    if not spec.disentangled then return end
    local has, stride = spec.disentangled, plan.scores_stride
    local function of_thread(name, shape, rows)
      add({ name = name, owner = "thread", unit = "once", shape = shape, floats = rows * stride })
    end
    if has.by_query then of_thread("by_query", { "block", "positions" }, plan.block_tiles * plan.score.mr) end
    if has.by_key then of_thread("by_key", { "positions", "keys" }, 2 * spec.disentangled.span) end
    of_thread("position_row", { "keys" }, 1)
  end,
  operations = function(spec, add)
    local own = spec.disentangled
    if not own then return end
    local weights = {}
    roles(spec, function(name) weights[#weights + 1] = name end)
    if own.by_query then
      add("multiplied", { name = "by_query", op = "product", reads = { "q" }, writes = { "by_query" } })
    end
    if own.by_key then
      add("multiplied", { name = "by_key", op = "product", reads = { "panels" }, writes = { "by_key" } })
    end
    add("multiplied", { name = "position_row", op = "lookup", writes = { "position_row" }, weights = weights,
      reads = { own.by_query and "by_query" or "by_key", own.by_query and own.by_key and "by_key" or nil } })
    add("multiplied", { name = "disentangled", op = "sum", reads = { "scores", "position_row" },
      writes = { "scores" } })
  end,
  score_order = "position",
  after = { "causal", "window", "qk_norm", "rope", "extra_keys", "cache" },
  weights = { "disentangled_table", "disentangled_norm_weight", "disentangled_norm_bias", "disentangled_k_weight",
    "disentangled_k_bias", "disentangled_q_weight", "disentangled_q_bias" },
  on = function(spec) return spec.disentangled end,
  sentence = function(spec)
    local own = spec.disentangled
    return own and ("scores add products of %s; %d rows of positions%s%s"):format(SAID[own.terms], 2 * own.span,
      own.max_distance and (" in buckets up to %d"):format(own.max_distance) or "",
      own.norm_eps and (" after a LayerNorm, eps %s"):format(fmt.double(own.norm_eps)) or "") or nil
  end,
}
