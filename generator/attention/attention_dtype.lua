-- attention_dtype.lua: the arithmetic of attention's two products, queries by keys and softmax weights by values.
-- Scores, softmax and sums stay f32. Comes after all that decides which keys a row sees.
local formats = require "formats"

-- What leaves attention in floats if the dtype does not name it, in the words of a spec: such models had results before
-- their attention could be narrow, and keep their bits.
local BY_NAME = {
  { has = function(spec) return spec.cache end, what = "cache" },
  { has = function(spec) return spec.outputs and #spec.outputs > 0 end, what = "outputs" },
  { has = function(spec) return spec.key_lower_bound end, what = "mask.window" },
  { has = function(spec) return spec.extra_keys > 0 end, what = "add_bias_kv or add_zero_attn" },
  { has = function(spec) return spec.n_extra_logits end, what = "sinks" },
  { has = function(spec) return spec.fill end, what = "mask_fill" },
}

local LEFT = "attention multiplies floats: in a model with %s only dtype.attention changes that"

-- The first of these that a spec has, or nil.
local function by_name(spec)
  for _, row in ipairs(BY_NAME) do
    if row.has(spec) then return row end
  end
end

-- What of a spec attention in an arithmetic cannot have: { what, why }, or nil.
local function too_deep(spec, name)
  local product = formats.get(name).product
  local most = product.largest_row and product.sum
  return most and spec.d_head > most and { what = ("d_head = %d"):format(spec.d_head),
    why = ("is more than the %d products of a running sum"):format(most) } or nil
end

-- The word, where attention may multiply by it.
local function attends(word)
  for _, known in ipairs(formats.attending()) do
    if known == word then return word end
  end
end

-- What the dtype says of attention, and whether it names it.
local function wanted(spec)
  local given = type(spec.dtype) == "table" and spec.dtype or { default = spec.dtype }
  local follows = spec.weights_dtype == "f32" and attends(given.default) -- not what is rounded for groups
  return given.attention or follows or "f32", given.attention ~= nil
end

local function add_once(list, name)
  for _, known in ipairs(list) do
    if known == name then return end
  end
  list[#list + 1] = name
end

return {
  name = "attention_dtype",
  -- spec.attends_in: the arithmetic of both products; spec.attends_in_floats: why it is f32 where the dtype says
  -- another; spec.narrow_field: what of the dtype asks for anything but floats, in words of a spec.
  resolve = function(spec, fail)
    local name, is_named = wanted(spec)
    spec.attends_in = "f32"
    spec.narrow_field = spec.narrow or name ~= "f32" and ('dtype.attention = "%s"'):format(name) or nil
    if name == "f32" then return end
    if not spec.attends then
      if is_named then fail(('dtype.attention = "%s" is given, but nothing attends'):format(name)) end
      return
    end
    local reason = too_deep(spec, name) or spec.only_floats or not is_named and by_name(spec) or nil
    if is_named and reason then
      fail(('dtype.attention = "%s" contradicts %s, which %s'):format(name, reason.what, reason.why))
    end
    spec.attends_in_floats = reason
    if not reason then
      spec.attends_in = name
      add_once(spec.arithmetics, name)
      -- Queries are rounded as the layer defines them; in models of other kinds, times the scale of scores.
      spec.needs_unscaled_q = spec.needs_unscaled_q or by_name(spec) ~= nil
    end
  end,
  properties = function(spec)
    return { { "attention_arithmetic", spec.attends_in ~= "f32" and "ARITHMETIC_" .. spec.attends_in:upper() } }
  end,
  sentence = function(spec)
    local reason = spec.attends_in_floats
    if reason and reason.why then return ("attention multiplies floats: %s %s"):format(reason.what, reason.why) end
    if reason then return LEFT:format(reason.what) end
    local said = formats.get(spec.attends_in).product.attends
    return said ~= "" and said or nil
  end,
}
