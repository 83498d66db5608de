-- cache.lua: keys and values of earlier calls stay in a cache of the caller's, and a call appends its own.
-- Adds to the end of each projection of keys and values, whose rows go where the score and value kernels read them; its
-- place in the list is after whatever else is done to projected rows.
local formats = require "formats"
local modifiers = require "attention.modifiers"
local types = require "schema.types"

-- The names of the modifiers that go by a key's distance, which must be fields of a spec.
local function by_distance()
  local names = {}
  for _, modifier in ipairs(modifiers) do names[#names + 1] = modifier.by_distance and modifier.name or nil end
  return names
end

local function has_distances(spec)
  for _, name in ipairs(by_distance()) do
    if spec[name] then return true end
  end
end

-- What takes a tensor whose axis of keys would grow from call to call, or counts places from the first row of a call.
local CONTRADICTIONS = {
  { has = function(spec) return spec.kind == "sdpa" end, field = 'kind = "sdpa"',
    why = "projects no keys that could be appended" },
  { has = function(spec) return spec.heads == "shared" end, field = 'heads = "shared"',
    why = "is not generated with one" },
  { has = function(spec) return #(spec.outputs or {}) > 0 end, field = "outputs",
    why = "lists intermediates, whose keys are those of one call" },
  { has = function(spec) return spec.mask and spec.mask.tensor end, field = "mask.tensor",
    why = "is given for the keys of one call" },
  { has = function(spec) return not spec.causal and has_distances(spec) end,
    field = "mask.causal = false with " .. table.concat(by_distance(), " or "),
    why = "leaves a query without a place among the keys" },
  { has = function(spec) return spec.fill end, field = "mask_fill",
    why = "gives later keys a weight, which come with a later call" },
  { has = function(spec) return spec.uniform end, field = 'masked_row = "uniform"',
    why = "gives later keys a weight, which come with a later call" },
  { has = function(spec) return spec.extra_keys > 0 end, field = "add_bias_kv and add_zero_attn",
    why = "come after the last key, where the next call's keys go" },
  { has = function(spec) return spec.window_sides == "both" end, field = 'mask.window_sides = "both"',
    why = "looks at later keys, which come with a later call" },
}

-- How rows are kept, where they are not floats.
local function kept(spec)
  if spec.cache_dtype == "f32" then return "" end
  local kept_as = formats.of_rows(spec.cache_dtype)
  if kept_as.scales then
    return ("; they are kept as %s, integers with a scale for each row, %d bytes a row of a head, rounded once"):format(
      spec.cache_dtype, kept_as.bytes * spec.d_head + formats.get(kept_as.scales).bytes)
  end
  return ("; they are kept as %s, %d bytes each, rounded once, and read as floats"):format(
    spec.cache_dtype, kept_as.bytes)
end

return {
  name = "cache",
  in_layers = true,
  of_decoder = true,
  fields = {
    { field = "cache", flag = "--cache", check = types.count(1, 65536), default = "none",
      help = "each call appends its keys and values to a cache of up to N rows a sequence, and attends to all rows",
      group = "calls", example = "cache = 2048" },
    { field = "cache_dtype", flag = "--cache-dtype", check = types.choice(formats.rows()), default = "f32",
      help = "element type of cached keys and values, which are rounded to nearest when they are appended; int8: " ..
        "integers with a scale for each row",
      group = "calls", example = 'cache = 2048, cache_dtype = "bf16"' },
  },
  resolve = function(spec, fail)
    spec.cache_dtype = spec.cache_dtype or "f32"
    if not spec.cache and spec.cache_dtype ~= "f32" then
      fail(('cache_dtype ("%s") is given, but there is no cache to keep it in; say cache = N'):format(
        spec.cache_dtype))
    end
    if not spec.cache then return end
    local joining = spec.stack and spec.seq_len or spec.kv_seq_len -- of a stack its own rows
    if joining.max > spec.cache then
      fail(("cache (%d) is smaller than %s (at most %d), so one call could not be held"):format(
        spec.cache, joining == spec.seq_len and "seq_len" or "kv_seq_len", joining.max))
    end
    if spec.causal == "top_left" then
      fail(('mask.causal = "top_left" counts queries from the first key, which with cache (%d) is an earlier ' ..
        'call\'s; say "bottom_right" or false'):format(spec.cache))
    end
    for _, row in ipairs(CONTRADICTIONS) do
      if row.has(spec) then fail(("cache (%d) contradicts %s, which %s"):format(spec.cache, row.field, row.why)) end
    end
  end,
  on = function(spec) return spec.cache end,
  properties = function(spec)
    return { { "cache", spec.cache }, { "cache_dtype", formats.enum_of_rows(spec.cache_dtype) } }
  end,
  sentence = function(spec)
    if not spec.cache then return nil end
    local remembers = spec.kind == "decoder" or spec.kind == "transformer"
    return ("keys and values join a cache of up to %d a sequence, and queries see all of them%s%s"):format(
      spec.cache, remembers and "; those of what a decoder attends to are made once a sequence" or "", kept(spec))
  end,
}
