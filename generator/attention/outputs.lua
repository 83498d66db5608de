-- outputs.lua: intermediates that a caller may ask for in addition to the layer's output. What a spec does not list
-- costs nothing.
local text = require "base.text"
local types = require "schema.types"

local INTERMEDIATES = {
  "q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "scores", "x_heads", "x_concat",
}
local NAMES = { "attention", "cross_attention", "attention_mean" }
for _, name in ipairs(INTERMEDIATES) do NAMES[#NAMES + 1] = name end
local one = types.choice(NAMES)

local function check(value)
  if type(value) ~= "table" then return nil, 'must be a list like { "attention" }, found ' .. types.shown(value) end
  local count, seen = 0, {}
  for _ in pairs(value) do count = count + 1 end
  if count ~= #value then return nil, 'must be a list like { "attention" }, without keys' end
  for _, name in ipairs(value) do
    local ok, why = one(name)
    if not ok then return nil, why end
    if seen[name] then return nil, ("names %q twice"):format(name) end
    seen[name] = true
  end
  return value
end

local function split_commas(word)
  local list = {}
  for name in word:gmatch("[^,]+") do list[#list + 1] = name end
  return list
end

local function any(wanted, ...)
  for _, name in ipairs({ ... }) do
    if wanted[name] then return true end
  end
  return false
end

-- What each kind of whole model gives of its layers, and why an encoder does not give both.
local OF_STACKS = {
  encoder = { attention = true },
  decoder = { attention = true, cross_attention = true },
  transformer = { attention = true, cross_attention = true },
}
local NOT_CROSS = {
  encoder = "its layers attend to their own rows alone; a decoder or a transformer has it",
  mha = "there is one attention, and the output attention gives its weights, whatever its keys",
}
NOT_CROSS.sdpa = NOT_CROSS.mha

-- Of what happens within a layer, a whole model gives the weights of its rows over each other and over a memory.
local function check_kind(spec, fail)
  local gives = OF_STACKS[spec.kind]
  for _, name in ipairs(spec.outputs or {}) do
    local why = name == "cross_attention" and NOT_CROSS[spec.kind]
    if why then
      fail(('outputs names cross_attention, but kind = "%s" has none: %s'):format(spec.kind, why))
    elseif gives and not gives[name] then
      fail(('outputs names %s, but kind = "%s" gives %s alone, for each of its layers: what else happens in a ' ..
        'layer is of rows packed without padding and stays there; a layer alone (kind = "mha") gives it'):format(
        name, spec.kind, gives.cross_attention and "attention and cross_attention" or "attention"))
    end
  end
end

local function resolve(spec, fail)
  check_kind(spec, fail)
  spec.wanted, spec.intermediates = {}, {}
  for _, name in ipairs(spec.outputs or {}) do spec.wanted[name] = true end
  for _, name in ipairs(INTERMEDIATES) do
    if spec.wanted[name] then spec.intermediates[#spec.intermediates + 1] = name end
    if spec.wanted[name] and name ~= "scores" and spec.kind == "sdpa" then
      fail(('outputs names %s, but kind = "sdpa" gives only attention and scores in addition to its output'):format(
        name))
    end
  end
  spec.attention_output = spec.wanted.attention and not spec.stack or false
  spec.layer_attention = spec.wanted.attention and spec.stack or false
  spec.layer_cross_attention = spec.wanted.cross_attention and spec.stack or false
  spec.needs_natural_scores = spec.needs_natural_scores or any(spec.wanted, "scores")
  spec.needs_unscaled_q = spec.needs_unscaled_q or any(spec.wanted, "q_proj", "q_heads")
end

local function sentence(spec)
  if spec.layer_attention or spec.layer_cross_attention then
    local over = {}
    if spec.layer_attention then over[1] = "its own rows" end
    if spec.layer_cross_attention then over[#over + 1] = "the memory" end
    return ("softmax weights of each layer%s are written on request"):format(
      spec.kind == "encoder" and "" or " over " .. text.join(over))
  end
  local names = spec.attention_output and { "softmax weights" } or {}
  for _, name in ipairs(spec.intermediates) do names[#names + 1] = name end
  if #names == 0 then return nil end
  return text.join(names) .. (#names == 1 and #spec.intermediates == 1 and " is" or " are") .. " written on request"
end

return {
  name = "outputs",
  fields = {
    { field = "outputs", flag = "--outputs", value = "LIST", parse = split_commas,
      check = types.described("a list of names", check),
      default = "none",
      help = "intermediate results that a call may ask for in addition to its output: " .. table.concat(NAMES, ", ") ..
        "; for whole models attention, of each layer, also in a transformer's encoder, and cross_attention, of " ..
        "each layer over the encoder's output",
      group = "calls", example = 'outputs = { "attention", "scores" }' },
  },
  resolve = resolve,
  operations = function(spec, add)
    if not spec.attention_output then return end
    add("weighed", { name = "attention", op = "copy", reads = { "scores" }, writes = { "attention" } })
  end,
  properties = function(spec)
    local list = {}
    for i, name in ipairs(spec.intermediates) do list[i] = { ("intermediates[GA_%s]"):format(name:upper()), true } end
    return list
  end,
  sentence = sentence,
}
