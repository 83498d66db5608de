-- spec/stack.lua: what makes a spec that of a whole model: the spec of its layers' attention, and the weights it needs,
-- layer by layer. Blocks say which weights are theirs; here is only their order.
local blocks = require "ops"
local dtypes = require "schema.dtypes"
local features = require "attention"
local formats = require "formats"

local stack = {}

-- Whether a spec's layers attend: those of a stack may be feed-forwards alone, or none at all.
function stack.attends(spec)
  return not spec.stack or (spec.n_layers ~= 0 and not (spec.layer and spec.layer.attention == false))
end

-- Where nothing attends, features of attention are resolved for one head as wide as a row, which then is none.
function stack.one_head(spec)
  spec.n_heads, spec.d_head = 1, spec.d_model
end

function stack.no_heads(spec)
  spec.n_heads, spec.n_kv_heads, spec.d_head, spec.d_v, spec.scale_factor = 0, 0, 0, 0, 0
end

-- Adds the fields of those owners that are chosen to a set, and returns it.
local function fields_of(owners, chosen, set)
  for _, owner in ipairs(owners) do
    for _, field in ipairs(chosen(owner) and owner.fields or {}) do set[field.field] = true end
  end
  return set
end

-- Fields that a stack shares with its attention: what every spec has, and those of features that say so; all others are
-- its blocks'.
local SHARED = fields_of(features, function(feature) return feature.in_layers or feature.score_order end, {
  d_model = true, n_heads = true, d_head = true, seq_len = true, batch = true, unroll = true,
})

-- Biases of q, k and v; that of the output projection, which the stack applies, is its own.
local function attention_bias(bias)
  return { q = bias.q, k = bias.k, v = bias.v }
end

-- What q, k and v multiply, and attention; the output projection is the stack's own.
local function dtype_of_attention(spec)
  local of = spec.arithmetic_of
  local function word(name) return formats.word(of[name]) end
  if spec.chooses then return { default = dtypes.ANY, attention = spec.attends_in } end
  return { q = word("q"), k = word("k"), v = word("v"), attention = spec.attends_in }
end

-- Whether a row's own sequence has keys that are masked, where nothing is causal: its rows are without padding.
local function masks_in_any_order(spec)
  return spec.window or spec.mask_tensor == "bool"
end

local function masks_its_rows(spec)
  return spec.causal or masks_in_any_order(spec)
end

-- The outputs of an attention that gives its weights to the stack, or does not.
local function weights_of(is_given)
  return is_given and { "attention" } or nil
end

-- Puts the fields of a kind of layer over those of an attention; false takes a field away, or all of a table.
local function set_fields(raw, fields)
  for field, value in pairs(fields) do
    for name in pairs(raw) do
      if name == field or name:sub(1, #field + 1) == field .. "." then raw[name] = nil end
    end
    if value ~= false then raw[field] = value end
  end
end

-- The fields of a kind that no attention of a layer takes, in order.
function stack.not_of_attention(fields)
  local list = {}
  for field in pairs(fields) do
    local is_group = false
    for shared in pairs(SHARED) do is_group = is_group or shared:sub(1, #field + 1) == field .. "." end
    if not SHARED[field] and not is_group then list[#list + 1] = field end
  end
  table.sort(list)
  return list
end

-- Whether two parts have the same weights.
function stack.same_roles(a, b)
  for i = 1, math.max(#a.roles, #b.roles) do
    local x, y = a.roles[i], b.roles[i]
    if not x or not y or x.name ~= y.name or x.shape[1] ~= y.shape[1] or x.shape[2] ~= y.shape[2] then return false end
  end
  return true
end

-- The fields of the attention of one layer: its heads side by side, over rows without padding; kind: of the layer, nil
-- for one as the spec says.
function stack.attention_fields(spec, kind)
  local name = spec.name .. "_self" .. (kind and "_" .. kind.name or "")
  local raw = { name = name, kind = "mha", projections = "qkv", bias = attention_bias(spec.bias) }
  for _, entry in ipairs(spec.given) do
    if SHARED[entry.field] then raw[entry.field] = entry.value end
  end
  raw.dtype = dtype_of_attention(spec)
  raw.mask = nil
  raw.outputs = weights_of(spec.layer_attention)
  raw["mask.causal"] = spec.causal
  if not masks_its_rows(spec) then raw.mask_fill = nil end
  set_fields(raw, kind and kind.fields or {})
  return raw
end

-- Fields of a transformer that only its decoder has; its encoder is never causal.
local OF_DECODER = { ["mask.causal"] = true }
for _, owners in ipairs({ features, blocks }) do
  fields_of(owners, function(owner) return owner.of_decoder end, OF_DECODER)
end
-- Fields that its sides do not take as they are.
local OF_BOTH = { name = true, kind = true, weights = true, weights_prefix = true, seq_len = true, kv_seq_len = true,
  vocab_size = true, src_vocab_size = true, n_layers = true, n_decoder_layers = true, outputs = true }

-- What the linears of an encoder multiply: those after the last layer are its decoder's.
local function encoder_dtype(dtype)
  if type(dtype) ~= "table" then return dtype end
  local of = {}
  for name, word in pairs(dtype) do of[name] = word end
  for _, name in ipairs(dtypes.LAST) do of[name] = nil end
  return of
end

-- The dtype of both sides of a transformer, whose attention is that of the whole.
local function dtype_of_sides(spec)
  if not spec.dtype or spec.chooses then return spec.dtype end
  local of = { attention = spec.attends_in }
  for key, word in pairs(type(spec.dtype) == "table" and spec.dtype or { default = spec.dtype }) do
    of[key] = of[key] or word
  end
  return of
end

-- The fields of one side of a transformer, "encoder" or "decoder".
function stack.side_fields(spec, side)
  local is_decoder, given = side == "decoder", spec.lengths_as_given
  local raw = {
    kind = side, name = spec.name .. (is_decoder and "_dec" or "_enc"),
    n_layers = is_decoder and spec.n_decoder_layers or spec.n_layers,
    seq_len = is_decoder and given.seq_len or given.kv_seq_len, kv_seq_len = is_decoder and given.kv_seq_len or nil,
    vocab_size = is_decoder and spec.vocab_size or spec.src_vocab_size or spec.vocab_size,
    outputs = is_decoder and spec.outputs or weights_of(spec.layer_attention),
  }
  for _, entry in ipairs(spec.given) do
    local group = entry.field:match("^[^.]+")
    local is_other = not is_decoder and OF_DECODER[entry.field]
    if not OF_BOTH[group] and not is_other then raw[entry.field] = entry.value end
  end
  raw.dtype = dtype_of_sides(spec)
  if not is_decoder then raw.dtype = encoder_dtype(raw.dtype) end
  if not is_decoder and not spec.lengths and not masks_in_any_order(spec) then raw.mask_fill = nil end
  return raw
end

-- The fields of a decoder layer's attention over the encoder's output. Where the stack has a cache its keys and values
-- stay in one too, made once a sequence.
function stack.memory_fields(spec)
  local raw = {
    name = spec.name .. "_memory", kind = "mha", projections = "qkv", bias = attention_bias(spec.bias),
    d_model = spec.d_model, n_heads = spec.n_heads, n_kv_heads = spec.n_kv_heads, d_head = spec.d_head,
    seq_len = spec.lengths_as_given.seq_len, kv_seq_len = spec.lengths_as_given.kv_seq_len, scale = spec.scale,
    unroll = spec.unroll, dtype = dtype_of_attention(spec), weights_dtype = spec.weights_dtype,
    mask = { lengths = spec.lengths, causal = false },
    cache = spec.cache and spec.kv_seq_len.max or nil, cache_dtype = spec.cache_dtype,
    outputs = weights_of(spec.layer_cross_attention),
  }
  blocks.each("memory_fields", spec, raw)
  return raw
end

local function linear_roles(linear, add)
  for _, part in ipairs(linear.parts) do
    add(part.role .. "_weight", { part.n_out, part.n_in })
    if linear.bias then add(part.role .. "_bias", { part.n_out }) end
  end
end

-- The weights of a sublayer's part: those that all layers share, or those that each has.
local function part_roles(spec, sublayer, is_shared, add)
  for _, role in ipairs(sublayer.part and spec[sublayer.part .. "_spec"].roles or {}) do
    if role.is_shared == is_shared then add(sublayer.prefix .. role.name, role.shape) end
  end
end

-- The weights of one layer in order: of each sublayer its part's, its linears', and what blocks put after it.
local function layer_roles(spec, add, layer)
  for _, sublayer in ipairs(spec.sublayers) do
    part_roles(spec, sublayer, false, add)
    for _, linear in ipairs(sublayer.linears) do linear_roles(linear, add) end
    blocks.each("sublayer_roles", spec, add, sublayer.name)
  end
  blocks.each("layer_roles", spec, add, layer)
end

-- Appends all weights of a stack: layers.0.q_weight and so on between those before and after the layers.
function stack.roles(spec, add)
  if spec.kind == "transformer" then
    for _, side in ipairs({ "encoder", "decoder" }) do
      for _, role in ipairs(spec[side .. "_spec"].roles) do add(side .. "." .. role.name, role.shape) end
    end
    return
  end
  spec.sublayers = blocks.sublayers(spec)
  blocks.each("first_roles", spec, add)
  for _, sublayer in ipairs(spec.sublayers) do part_roles(spec, sublayer, true, add) end
  for layer = 0, spec.n_layers - 1 do
    layer_roles(spec, function(name, shape) add(("layers.%d.%s"):format(layer, name), shape) end, layer)
  end
  blocks.each("last_roles", spec, add)
end

return stack
