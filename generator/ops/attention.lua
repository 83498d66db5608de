-- ops/attention.lua: the attention of a layer over its own rows, and what any attention of a layer has; that over an
-- encoder's output is memory_attention.lua's. Each is a part generated as any attention layer (spec/stack.lua says its
-- spec). Here is what joins it to the stack.
local linear = require "ops.linear"
local rope = require "attention.rope"

local block = { name = "attention" }

-- The weights of one: those of its part that each layer has.
local function part_weights(spec, part, prefix)
  local names = {}
  for _, role in ipairs(spec[part .. "_spec"].roles) do
    names[#names + 1] = not role.is_shared and prefix .. role.name or nil
  end
  return names
end

-- An attention of a layer: part: what its spec and its plan are called; out: what its output projection is; reads: its
-- tensors.
function block.sublayer(spec, words, part, call, prefix, out, says, reads)
  return {
    name = part, part = part, parts = { part }, prefix = prefix,
    operations = {
      { name = part, op = "attention", phase = "all rows", call = call, says = says, panels = part, reads = reads,
        writes = { "heads", "attention_scratch" }, weights = part_weights(spec, part, prefix) },
      linear.operation(spec, { name = out, product = "out", what = "heads side by side -> what joins the residual",
        role = "o", bias = spec.bias.o, does = "joining", reads = { "heads" }, writes = { words.joining },
        width = "HEADS",
        parts = { { role = prefix .. "o", n_out = spec.d_model, n_in = spec.n_heads * spec.d_head } } }),
    },
  }
end

-- -- Angles of rotary positions -------------------------------------------------------------------------------------

-- The attentions of the kinds of layers, in order.
local function kinds_of(spec)
  local list = {}
  for _, kind in ipairs(spec.layer_kinds) do list[#list + 1] = kind.spec end
  return #list > 0 and list or { spec.attention_spec }
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  return true
end

-- The tables of angles of a stack's layers, each once: { count, fills }, and which of them each kind takes: of_kind,
-- 1 for a kind that takes none.
local function tables_of(spec)
  local tables, of_kind = {}, {}
  for i, kind in ipairs(kinds_of(spec)) do
    local count, fills
    rope.packed(kind, function(_, n, filled_by) count, fills = n, filled_by end, true)
    for at, known in ipairs(tables) do
      if same(known.fills, fills) then of_kind[i] = at end
    end
    if fills and not of_kind[i] then
      tables[#tables + 1] = { count = count, fills = fills }
      of_kind[i] = #tables
    end
    of_kind[i] = of_kind[i] or 1
  end
  return tables, of_kind
end

function block.words(spec)
  local tables, of_kind = tables_of(spec)
  return { n_angles = #tables, angles_of_kind = of_kind }
end

function block.packed(spec, add)
  for i, angles in ipairs((tables_of(spec))) do add("angles_" .. i, angles.count, angles.fills) end
end

-- -- Sublayers ------------------------------------------------------------------------------------------------------

function block.sublayers(spec, words)
  if not spec.attention_spec then return {} end
  for _, kind in ipairs(kinds_of(spec)) do kind.takes_angles = words.n_angles > 0 end
  local sublayer = block.sublayer(spec, words, "attention", "attend", "", "out", "attention", { words.normed })
  for i = 2, #spec.layer_kinds do sublayer.parts[i] = spec.layer_kinds[i].part end
  return { sublayer }
end

function block.properties(spec)
  return { { "attention", spec.layer_attention } }
end

-- attention_scratch is what the plan of a part asks for; one part runs at a time.
function block.tensors(spec, add)
  if not spec.attends then return end
  add({ name = "heads", shape = { "rows", "heads" }, width = spec.n_heads * spec.d_head, stride = "HEADS" })
  add({ name = "attention_scratch", shape = { "bytes" }, dtype = "any", is = "private" })
end

function block.on(spec) return spec.attends end

return block
