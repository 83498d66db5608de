-- modifiers_test.lua: score modifiers are found by their files, take the place that they ask for, and need no line
-- elsewhere: their weights are packed, named in files and refused where there are none as those that ship.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local maps = require "import.maps"
local modifiers = require "attention.modifiers"
local order = require "attention.order"
local spec = require "spec"

local LUA = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("modifiers")

-- -- Their order ----------------------------------------------------------------------------------------------------

local LISTED = { { name = "one" }, { name = "two" }, { name = "three" } }

local function modifier(name, place, ...)
  return { name = name, score_order = place, after = { ... } }
end

local function arranged(...)
  local names = {}
  for i, feature in ipairs(order.arranged(LISTED, { ... })) do names[i] = feature.name end
  return table.concat(names, " ")
end

fact.holds("a modifier comes as early as what it names lets it", function()
  fact.equal(arranged(), "one two three")
  fact.equal(arranged(modifier("m", "bias", "one")), "one m two three")
  fact.equal(arranged(modifier("m", "bias", "three", "one")), "one two three m")
  fact.equal(arranged(modifier("m", "bias", "n"), modifier("n", "mask", "one")), "one n m two three")
end)

fact.holds("of several the place among scores decides, then the name, and never the order of files", function()
  local cap, bias, other = modifier("z", "cap", "one"), modifier("a", "bias", "one"), modifier("b", "bias", "one")
  for _, files in ipairs({ { cap, bias, other }, { other, bias, cap }, { bias, cap, other } }) do
    fact.equal(arranged(compat.unpack(files)), "one z a b two three")
  end
end)

fact.holds("an order that cannot be is refused with who asks for it", function()
  fact.raises("modifier m: after names four, and no feature is called so", arranged, modifier("m", "bias", "four"))
  fact.raises("modifier m: after must list the features that it comes after", arranged, modifier("m", "bias"))
  fact.raises("modifier m: score_order is late, which is none of position, scale, cap, bias, mask", arranged,
    modifier("m", "late", "one"))
  fact.raises("modifiers that wait for each other by their after: m, n", arranged, modifier("n", "bias", "m"),
    modifier("m", "bias", "n"))
  fact.raises("modifiers that wait for each other by their after: m", arranged, modifier("m", "bias", "m"))
  fact.raises("two features are called two", arranged, modifier("two", "bias", "one"))
end)

-- -- A file more ----------------------------------------------------------------------------------------------------

-- Adds a number of each head to its scores.
local ADDED = [[
local types = require "schema.types"
return {
  name = "added",
  fields = {
    { field = "added", flag = "--added", value = "yes|no", check = types.boolean, parse = types.to_boolean,
      default = "no", help = "a number of each head", group = "scores", example = "added = true" },
  },
  score_order = "bias",
  after = { AFTER },
  weights = { "added" },
  roles = function(spec, add)
    if spec.added then add("added", { spec.n_heads }) end
  end,
  on = function(spec) return spec.added end,
}
]]

local FRAGMENT = '$$ stage: score_vector\nx = ${V.add("x", V.splat(score_units(7)))};\n'

-- Runs a copy of the generator that has this modifier too, on a spec; what it says, and its exit code.
local function generate_with(after, more)
  local copy = folder .. "copy/"
  assert(compat.execute(("rm -rf %s && mkdir -p %s && cp -RL generator templates %s"):format(copy, copy, copy)))
  local file = copy .. "generator/attention/modifiers/added.lua"
  assert(fs.write_if_changed(file, (ADDED:gsub("AFTER", after))) ~= nil)
  assert(fs.write_if_changed(copy .. "templates/attention/modifiers/added.c.lt", FRAGMENT) ~= nil)
  assert(fs.write_if_changed(copy .. "added.lua", ("return { name = 'more', n_heads = 2, %s }"):format(more)) ~= nil)
  return compat.capture(("%s %sgenerator/main.lua --spec %sadded.lua --isa scalar --out %sgen --depfile %sd"):format(
    LUA, copy, copy, copy, copy))
end

fact.holds("a modifier is its file and its fragment: its weights have its name, and the depfile has both", function()
  local said, code = generate_with('"causal"', "d_model = 8, added = true, alibi = true")
  fact.equal(code == 0 and "" or said, "")
  local attend = assert(fs.read(folder .. "copy/gen/more__scalar_attend.c"))
  assert(attend:find("x = %(x %+ 10%.0[%d]+f%);\n *x = vec_fmadd%(slope"),
    "not spliced before the one whose name comes later")
  fact.contains(assert(fs.read(folder .. "copy/gen/more.c")), '"added"')
  local depfile = assert(fs.read(folder .. "copy/d"))
  fact.contains(depfile, "attention/modifiers/added.lua")
  fact.contains(depfile, "templates/attention/modifiers/added.c.lt")
end)

fact.holds("its weights are refused where there are no weights, and shared with the layers of a whole model", function()
  local said, code = generate_with('"causal"', "kind = 'sdpa', d_head = 4, added = true")
  fact.equal(code, 1)
  fact.contains(said, 'added is given, but kind = "sdpa" has no weights')
  said, code = generate_with('"causal"', "kind = 'encoder', d_model = 8, n_layers = 2, added = true")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(assert(fs.read(folder .. "copy/gen/more.c")), '"layers.1.added"')
end)

fact.holds("a folder with an order that cannot be makes nothing", function()
  for after, why in pairs({ ['"nobody"'] = "modifier added: after names nobody, and no feature is called so",
    ['"added"'] = "modifiers that wait for each other by their after: added" }) do
    local said, code = generate_with(after, "d_model = 8")
    assert(code ~= 0, "accepted")
    fact.contains(said, why)
    fact.equal(fs.list(folder .. "copy/gen"), nil)
  end
end)

-- -- Weights --------------------------------------------------------------------------------------------------------

fact.holds("a weight that no map names goes by its own name in all that ship, and in no other", function()
  local s = assert(spec.from_fields({ d_model = 8, n_heads = 2, bias = false }))
  local stack = assert(spec.from_fields({ kind = "encoder", d_model = 8, n_heads = 2, n_layers = 2 }))
  s.modifier_weights, stack.modifier_weights = { "relative_bias", "later" }, { "later" }
  for _, name in ipairs(maps.names(false)) do fact.equal(maps.source(s, maps.get(name, false), "later"), "later") end
  fact.equal(maps.source(stack, maps.get("bert", true), "layers.1.later"), "encoder.layer.1.later")
  fact.equal(maps.source(s, { q_weight = "q" }, "later"), nil)
  fact.equal(maps.source(s, maps.get("w_o", false), "relative_bias") ~= "relative_bias", true)
  fact.equal(maps.source(s, maps.get("llama", false), "relative_bias"), nil)
end)

fact.holds("every modifier has a file for the generic kernel, and every such file is of a modifier", function()
  local names, files = {}, assert(fs.list("tests/support/modifiers"))
  for i, each in ipairs(modifiers) do names[i] = each.name .. ".h" end
  table.sort(names)
  fact.lists_equal(files, names)
end)

fact.holds("a modifier adds no role that it does not list", function()
  local fields = { d_model = 8, n_heads = 2, relative_bias = { num_buckets = 8 } }
  for _, each in ipairs(modifiers) do
    local listed = {}
    for _, name in ipairs(each.weights or {}) do listed[name] = true end
    if each.roles then
      each.roles(assert(spec.from_fields(fields)), function(name) assert(listed[name], each.name .. ": " .. name) end)
    end
  end
end)

fact.finish()
