-- from_hf/positions.lua: what the fields of a config.json that say how DeBERTa attends to relative positions mean as
-- `disentangled` of a spec. The other conversions are in conversions.lua.
local json = require "import.from_hf.json"
local types = require "schema.types"

local positions = {}

local is_count = types.count(1)

local EXPECTED = 'c2p, p2c or both, in a list or with "|" between them'

-- The terms that a list or a text names, as a set and their number; nil where it is neither.
local function terms_of(value)
  local set, count = { c2p = false, p2c = false }, 0
  local list = json.is_array(value) and value or {}
  for word in (type(value) == "string" and value:lower() or ""):gmatch("[^|]+") do
    list[#list + 1] = word:match("^%s*(.-)%s*$")
  end
  if type(value) ~= "string" and not json.is_array(value) then return nil end
  for _, word in ipairs(list) do
    if set[word] == nil then return nil end
    count, set[word] = count + (set[word] and 0 or 1), true
  end
  return set, count
end

-- Whether scores add anything.
local function is_on(context)
  local _, count = terms_of(context.get("pos_att_type"))
  return context.get("relative_attention") == true and (count or 0) > 0
end

-- The scale of scores, which falls with each term, added or not.
function positions.scale_of_terms(value, context)
  local made, set, count = context.made, terms_of(value)
  local width = made.d_head or is_count(made.d_model) and is_count(made.n_heads) and made.d_model / made.n_heads
  if not set or not width then return nil, EXPECTED end
  if count == 0 then return nil end
  return 1 / math.sqrt(width * (1 + count))
end

function positions.position_terms(value, context)
  if not is_on(context) then return nil end
  local set, count = terms_of(value)
  return count == 2 and "both" or set.c2p and "c2p" or "p2c"
end

-- The farthest distance that has a row, which is the longest sequence where nothing says it.
local function farthest(context)
  local said = context.get("max_relative_positions")
  if is_count(said) then return said end
  return context.get("max_position_embeddings")
end

function positions.position_span(value, context)
  if not is_on(context) then return nil end
  return is_count(value) and value or farthest(context)
end

-- Nothing where the longest sequence has no distance in a bucket with others.
function positions.position_distance(_, context)
  local buckets, longest = context.get("position_buckets"), context.get("max_position_embeddings")
  if not is_on(context) or not is_count(buckets) then return nil end
  if is_count(longest) and longest - 1 <= math.floor(buckets / 2) then return nil end
  return farthest(context)
end

-- The eps of the norm of the table, which is that of the model.
function positions.position_norm(value, context)
  for word in (type(value) == "string" and value:lower() or ""):gmatch("[^|]+") do
    word = word:match("^%s*(.-)%s*$")
    if word == "layer_norm" then return is_on(context) and context.made["norm.eps"] or nil end
    if word ~= "none" then return nil, "none or layer_norm" end
  end
end

-- Whether relative positions have linears of their own.
function positions.position_linears(value, context)
  if type(value) ~= "boolean" then return nil, "true or false" end
  if not is_on(context) then return nil end
  return not value
end

-- Positions that are added to rows: their kind, and the rows of their table.
function positions.added_positions(value)
  if type(value) ~= "boolean" then return nil, "true or false" end
  return value and "learned" or nil
end

function positions.added_rows(value, context)
  return context.made["positions.kind"] and value or nil
end

return positions
