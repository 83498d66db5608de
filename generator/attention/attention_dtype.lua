-- attention_dtype.lua: the arithmetic of attention's two products, queries by keys and softmax weights by values.
-- Scores, softmax and sums stay f32. Comes after all that decides which keys a row sees.
local arithmetic = require "arithmetic"

-- What it follows where a dtype does not name it.
local FOLLOWS = { f32 = "f32", bf16 = "bf16", i16 = "i16", int8 = "int8" }

local SENTENCES = {
  bf16 = "attention multiplies queries, keys, softmax weights and values rounded to bf16",
  i16 = "attention multiplies keys and values of 14 bits by queries and softmax weights of up to 16",
  int8 = "attention multiplies queries, keys, softmax weights and values of 8 bits",
}

-- What reads keys, values or softmax weights as floats, in the words of a spec.
local NEEDS_FLOATS = {
  { has = function(spec) return spec.cache end, what = "cache", why = "keeps keys and values for products of floats" },
  { has = function(spec) return spec.attention_output or spec.layer_attention or spec.layer_cross_attention end,
    what = "outputs", why = "gives softmax weights, which are floats" },
  { has = function(spec) return spec.outputs and #spec.outputs > 0 end, what = "outputs",
    why = "gives intermediates, which are floats" },
  { has = function(spec) return spec.key_lower_bound end, what = "mask.window",
    why = "leaves a row's first keys out, which is made for floats alone" },
  { has = function(spec) return spec.extra_keys > 0 end, what = "add_bias_kv or add_zero_attn",
    why = "adds keys that are multiplied as floats" },
  { has = function(spec) return spec.n_extra_logits end, what = "sinks",
    why = "adds scores of no key to a row of floats" },
  { has = function(spec) return spec.fill end, what = "mask_fill",
    why = "gives keys that a row does not see a weight, which is made for floats alone" },
  { has = function(spec) return spec.chooses end, what = 'dtype = "any"',
    why = "lets a call choose for linears alone" },
}

-- The first reason why a spec's attention multiplies floats, or nil.
local function needs_floats(spec, name)
  for _, row in ipairs(NEEDS_FLOATS) do
    if row.has(spec) then return row end
  end
  local most = arithmetic.get(name).largest_row and arithmetic.get(name).sum
  if most and spec.d_head > most then
    return { what = ("d_head = %d"):format(spec.d_head),
      why = ("is more than the %d products of a running sum"):format(most) }
  end
end

-- What the dtype says of attention, and whether it names it.
local function wanted(spec)
  local given = type(spec.dtype) == "table" and spec.dtype or { default = spec.dtype }
  local follows = spec.weights_dtype == "f32" and FOLLOWS[given.default or "f32"] -- not what is rounded with groups
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
    local reason = spec.attends and needs_floats(spec, name)
    if is_named and not spec.attends then
      fail(('dtype.attention = "%s" is given, but nothing attends'):format(name))
    elseif is_named and reason then
      fail(('dtype.attention = "%s" contradicts %s, which %s'):format(name, reason.what, reason.why))
    end
    spec.attends_in_floats = reason
    if spec.attends and not reason then spec.attends_in = name end
    if spec.attends and not reason then add_once(spec.arithmetics, name) end
  end,
  sentence = function(spec)
    local reason = spec.attends_in_floats
    if reason then return ("attention multiplies floats: %s %s"):format(reason.what, reason.why) end
    return SENTENCES[spec.attends_in]
  end,
}
