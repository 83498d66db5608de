-- layer_kinds_test.lua: layers that differ by a pattern, and norms that some layers do without: which layer has which
-- attention and which weights, where these lie, and what is refused.
local fact = dofile("tests/generator/fact.lua")
local packing = require "plan.packing"
local plan_files = require "plan.files"
local spec = require "spec"

local function fields(more)
  local raw = { kind = "encoder", name = "tiny", d_model = 8, n_heads = 2, n_layers = 5, seq_len = "1..20",
    rope = { layout = "half_split" }, layers = { pattern = { "base", "near", "near" },
    kinds = { near = { mask = { window = 3, window_sides = "both" }, rope = { theta = 50 } } } } }
  for key, value in pairs(more or {}) do raw[key] = value end
  return raw
end

local function make(more)
  local s, errors = spec.from_fields(fields(more))
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local function refuses(more, expected)
  local s, errors = spec.from_fields(fields(more))
  fact.equal(s, nil)
  fact.equal(errors[1], expected)
end

fact.holds("a pattern begins again at its end, and a kind changes only what it names", function()
  local s = make()
  fact.equal(table.concat(s.kind_of_layer, " "), "0 1 1 0 1")
  fact.equal(s.attention_spec.window, nil)
  fact.equal(s.attention_near_spec.window, 3)
  fact.equal(s.attention_near_spec.rope.layout, "half_split")
  fact.equal(("%d %d"):format(s.attention_spec.rope.theta, s.attention_near_spec.rope.theta), "10000 50")
end)

fact.holds("false takes a field away, or all fields of a table", function()
  local s = make({ layers = { pattern = { "base", "plain" }, kinds = { plain = { rope = false } } } })
  fact.equal(s.attention_plain_spec.rope, nil)
  local causal = make({ mask = { causal = true, window = 4 },
    layers = { pattern = { "all", "base" }, kinds = { all = { mask = { window = false } } } } })
  fact.equal(causal.attention_all_spec.window, nil)
  fact.equal(causal.attention_all_spec.causal, "top_left")
  fact.equal(causal.attention_spec.window, 4)
end)

fact.holds("a spec with kinds of layers reads back from its text", function()
  local s = make()
  local again = assert(spec.from_text(spec.text(s), "again"))
  fact.equal(spec.text(again), spec.text(s))
end)

-- The layers that a plan's lists pack, as text: of each list the first role and how many layers.
local function packed(s)
  local said = {}
  for i, list in ipairs(packing.lists(plan_files.plans(s, { "scalar" })[1])) do
    said[i] = ("%d+%d x%d"):format(list.first_role, list.n_roles, list.count)
  end
  return table.concat(said, ", ")
end

fact.holds("layers that are alike are packed by one list, whose roles and bytes lie a turn apart", function()
  fact.equal(packed(make()), "0+0 x1, 0+48 x2, 16+48 x2, 32+48 x1")
  fact.equal(packed(make({ n_layers = 2 })), "0+0 x1, 0+48 x1, 16+48 x1")
end)

fact.holds("a first layer without a norm is packed by itself, and its roles are one fewer", function()
  local norm = { place = "pre", bias = false, skips_first = true }
  local s = make({ norm = norm, layers = { pattern = { "base" }, kinds = { near = {} } } })
  fact.equal(packed(s), "0+0 x1, 0+14 x1, 13+14 x4")
  local names = {}
  for _, role in ipairs(s.roles) do names[role.name] = true end
  fact.equal(names["layers.0.attention_norm_weight"], nil)
  fact.equal(names["layers.1.attention_norm_weight"], true)
  fact.equal(names["layers.0.ffn_norm_weight"], true)
end)

fact.holds("what no layer can have is refused by name", function()
  refuses({ layers = { pattern = { "base", "far" }, kinds = { near = {} } } },
    'layers.pattern names "far", which layers.kinds does not have')
  refuses({ layers = { pattern = { "base" } } }, "layers.pattern is given without layers.kinds")
  refuses({ layers = { pattern = { "near" }, kinds = { near = { d_ff = 5 } } } },
    "layers.kinds.near.d_ff is not a field of a layer's attention")
  refuses({ layers = { pattern = { "near" }, kinds = { near = { n_kv_heads = 1 } } } },
    "layers.kinds.near has other weights than the layers that are as the spec says")
  refuses({ layers = { pattern = { "near" }, kinds = { near = { mask = { window = 3 } } } } },
    "in a layer's attention, layers.kinds.near: mask.window (3) reaches to the left of a query only and " ..
    'mask.causal is off: set mask.causal, or mask.window_sides = "both"')
  refuses({ layers = { pattern = { "Near" }, kinds = { near = {} } } },
    'layers.pattern must be a list of names (small letters and digits, at most 20), found "Near"')
  refuses({ layers = { pattern = { "base" }, kinds = { base = {} } } },
    'layers.kinds must have a table of fields by name (small letters and digits, not "base"), found "base"')
  refuses({ norm = { skips_first = true } },
    'norm.skips_first is given, but without norm.place = "pre" and layers there is no norm to skip')
  refuses({ norm = { kind = "rms", bias = true } }, 'norm.bias is given, but norm.kind = "rms" has none')
end)

fact.finish()
