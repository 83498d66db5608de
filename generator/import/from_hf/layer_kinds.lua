-- from_hf/layer_kinds.lua: what the fields of a config.json that say how layers differ mean as layers.pattern and
-- layers.kinds of a spec. The other conversions are in conversions.lua.
local json = require "import.from_hf.json"
local types = require "schema.types"

local layer_kinds = {}

local LONGEST = 65536 -- the most that mask.window may say
local is_count = types.count(1)

-- The kinds of layers where every n-th sees all keys, from the first on, and the others those near them; nothing where
-- all do.
function layer_kinds.every_nth(value)
  if not is_count(value) or value > 512 then return nil, "a whole number from 1 to 512" end
  local pattern = { "base" }
  for i = 2, value do pattern[i] = "near" end
  return value > 1 and pattern or nil
end

local KIND_OF_TYPE = { full_attention = "base", sliding_attention = "near" }

-- The kinds of the layers that a list names, by its words; nothing where all see all keys.
local function kinds_of(list, kind_of, layers, expected)
  local pattern, is_near = {}, false
  for _, word in ipairs(json.is_array(list) and list or {}) do
    pattern[#pattern + 1] = kind_of[word]
    is_near = is_near or kind_of[word] == "near"
  end
  if #pattern ~= layers or #pattern ~= #list then return nil, expected end
  return is_near and pattern or nil
end

-- The kinds of layers: a list names that of each, or a number n says that each n-th sees all keys, others those near.
function layer_kinds.layer_types(value, context)
  if is_count(value) and value <= 512 then
    local turn = { [value] = "base" }
    for i = 1, value - 1 do turn[i] = "near" end
    return value > 1 and turn or nil
  end
  return kinds_of(value, KIND_OF_TYPE, context.made.n_layers, "full_attention or sliding_attention for each layer")
end

-- The same in a file of llama.cpp, where a list says whether each layer has a window; row.key: the key of that, without
-- which none has.
function layer_kinds.windows(value, context, row)
  if row.key and not context.get(row.key) then return nil end
  if is_count(value) then return layer_kinds.layer_types(value, context) end
  return kinds_of(value, { [true] = "near", [false] = "base" }, context.made.n_layers, "true or false for each layer")
end

-- Fields of rotary positions that do not scale them.
local PLAIN = { layout = true, theta = true, rotary_dim = true, positions = true }

-- What rotary positions of layers with a window differ in: theta, if there is one, and no scaling if row.is_unscaled.
local function near_rope(theta, made, is_unscaled)
  local rope = { theta = type(theta) == "number" and theta or nil }
  for field in pairs(is_unscaled and made or {}) do
    local inner = field:match("^rope%.(.*)$")
    if inner and not PLAIN[inner] then rope[inner] = false end
  end
  return next(rope) ~= nil and rope or nil
end

-- Of layers with a window what differs from the others: the window, to both sides unless the mask is causal, which
-- row.is_causal says of all models, and rotary positions: theta if row.theta names one.
function layer_kinds.near_kind(value, context, row)
  if not is_count(value) then return nil, "a whole number from 1" end
  if not context.made["layers.pattern"] then return nil end
  local mask = { window = math.floor(value / 2) + 1, window_sides = "both" }
  if row.is_causal or context.made["mask.causal"] then mask = { window = math.min(value, LONGEST) } end
  return { near = { mask = mask, rope = near_rope(context.get(row.theta), context.made, row.is_unscaled) } }
end

-- The kinds of layers, some without positions: those for which a list has 0, or each whose number, from 1 on, is a
-- multiple of a number.
function layer_kinds.plain_layers(value, context)
  local layers, pattern, is_plain = context.made.n_layers, {}, false
  if not is_count(layers) then return nil end
  if not is_count(value) and not (json.is_array(value) and #value == layers) then
    return nil, ("a list of num_hidden_layers (%d) numbers"):format(layers)
  end
  for i = 1, layers do
    local is_zero = is_count(value) and i % value == 0 or not is_count(value) and value[i] == 0
    pattern[i], is_plain = is_zero and "plain" or "base", is_plain or is_zero
  end
  return is_plain and pattern or nil
end

function layer_kinds.plain_kind(_, context)
  return context.made["layers.pattern"] and { plain = { rope = false } } or nil
end

return layer_kinds
