-- ops/layer_pattern.lua: layers whose attention differs by a pattern: a kind of layer is a name and the fields of the
-- spec that its attention has another value of, such as a window. All kinds have the same weights, so that a layer's
-- place in a file does not depend on its kind. The attention of each kind is a part of its own (spec/stack.lua).
local types = require "schema.types"

local BASE = "base" -- the kind that is as the spec says
local MOST_WORDS, MOST_KINDS = 512, 8

local function is_word(value)
  return type(value) == "string" and #value <= 20 and value:find("^%l[%l%d]*$") ~= nil
end

local function check_pattern(value)
  if type(value) ~= "table" or #value == 0 or #value > MOST_WORDS then
    return nil, ("must be a list of 1 to %d names of kinds of layers, found %s"):format(MOST_WORDS, types.shown(value))
  end
  for key, word in pairs(value) do
    if type(key) ~= "number" or not is_word(word) then
      return nil, "must be a list of names (small letters and digits, at most 20), found " .. types.shown(word)
    end
  end
  return value
end

local function check_kinds(value)
  local count = 0
  for name, fields in pairs(type(value) == "table" and value or {}) do
    count = count + 1
    if not is_word(name) or name == BASE or type(fields) ~= "table" then
      return nil, ('must have a table of fields by name (small letters and digits, not "base"), found %s'):format(
        types.shown(name))
    end
  end
  if count == 0 or count > MOST_KINDS then
    return nil, ("must be a table of 1 to %d kinds of layers, found %s"):format(MOST_KINDS, types.shown(value))
  end
  return value
end

-- The fields of a kind by their whole names: { mask = { window = 8 } } is { ["mask.window"] = 8 }.
local function flat(fields)
  local list = {}
  for key, value in pairs(fields) do
    for inner, v in pairs(type(value) == "table" and value or {}) do list[key .. "." .. tostring(inner)] = v end
    if type(value) ~= "table" then list[key] = value end
  end
  return list
end

-- The kinds in the order in which the pattern first names them, as { name, fields }, the first as the spec says; and
-- the index of each layer's, from 0 on.
local function resolve_pattern(spec, fail)
  local pattern, kinds = spec.layers.pattern, spec.layers.kinds
  local at, used = { [BASE] = 0 }, { { name = BASE, fields = {} } }
  for _, word in ipairs(pattern) do
    if not at[word] and not kinds[word] then
      fail(('layers.pattern names "%s", which layers.kinds does not have'):format(word))
      return
    elseif not at[word] then
      at[word], used[#used + 1] = #used, { name = word, fields = flat(kinds[word]) }
    end
  end
  spec.layer_kinds, spec.kind_of_layer = used, {}
  for layer = 1, spec.n_layers do spec.kind_of_layer[layer] = at[pattern[(layer - 1) % #pattern + 1]] end
end

local function check_used(spec, fail)
  local layers = spec.layers
  if not layers.pattern or not layers.kinds then
    fail(("layers.%s is given without layers.%s"):format(layers.pattern and "pattern" or "kinds",
      layers.pattern and "kinds" or "pattern"))
  elseif spec.kind == "transformer" or not spec.attends then
    fail(('layers is given, but %s'):format(spec.attends and 'kind = "transformer" has layers of two sides' or
      "no layer attends"))
  else
    return true
  end
end

return {
  name = "layer_pattern",
  fields = {
    { field = "layers.pattern", check = types.described("a list of names of kinds of layers", check_pattern),
      default = "none", group = "whole models",
      help = 'kinds of the layers in turn, from the first on; "base" is as the spec says',
      example = 'layers = { pattern = { "base", "near" }, kinds = { near = { rope = { layout = "half_split" } } } }',
      meaning = 'the kinds of the layers in turn, from the first layer on, and again from the start if there are ' ..
        'more layers. `"base"` is a layer as the spec says; any other is one of `layers.kinds`' },
    { field = "layers.kinds", check = types.described("a table of fields by the name of a kind", check_kinds),
      default = "none", group = "whole models",
      help = "of each kind of layer, the fields of its attention that differ; false takes a field away",
      example = 'layers = { pattern = { "base", "near" }, kinds = { near = { rope = { layout = "half_split" } } } }',
      meaning = "of each kind of layer, the fields of its attention that differ from the spec's, such as " ..
        "`mask.window` or `rope.theta`. `false` takes a field away: `rope = false`. All kinds have the same weights" },
  },
  resolve = function(spec, fail)
    spec.layer_kinds = {}
    if spec.stack and spec.layers and check_used(spec, fail) then resolve_pattern(spec, fail) end
  end,
  sentence = function(spec)
    if #(spec.layer_kinds or {}) < 2 then return nil end
    local counts, said = {}, {}
    for _, kind in ipairs(spec.kind_of_layer) do counts[kind] = (counts[kind] or 0) + 1 end
    for i, kind in ipairs(spec.layer_kinds) do said[i] = ("%d %s"):format(counts[i - 1] or 0, kind.name) end
    return "kinds of layers, by their attention: " .. table.concat(said, ", ")
  end,
}
