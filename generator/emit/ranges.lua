-- emit/ranges.lua: how the C speaks of the keys that a row sees: where its range begins, the arrays it is kept in, and
-- what stands after it. Every path over rows, tiles and blocks takes these words, whether or not a feature lets ranges
-- begin late or puts scores after them.
local ranges = {}

local FROM_FIRST_KEY = {
  row_key_begin = "0", row_begin = "0", common_panel = "0", begin = "0", first_sum = "0",
  tile_sum = "0", sum_goes_on = "from > 0",
}

local BOUNDED_BELOW = {
  row_key_begin = "(size_t)b->key_begin[i]", -- key that row i sees
  row_begin = "row_begin(b, i)",     -- float of row i
  begin = "begin",                   -- the same, where it was declared
  common_panel = "ga_min(tile_key_begin(b, b->tiles - 1) / KEY_PANEL, end)", -- that all tiles of a block look at
  first_sum = "tile_key_begin(b, 0) / VALUE_KEYS * VALUE_KEYS", -- key where a block's running sums begin
  tile_sum = "tile_key_begin(b, i / b->height) / VALUE_KEYS * VALUE_KEYS", -- the same of the tile of row i
  sum_goes_on = "key_begin[0] < from",   -- in a kernel: keys before `from` gave a total
}

-- Keys to which a row gives no weight though products multiply them, so that a value which is no number must not show:
-- of a function over the n keys of a row from `from` on the parameter, the argument, and the test of key j.
local WEIGHTLESS = { parameter = "const float *s", argument = "s + from", test = "s[j] == 0.0f" }
local BEFORE_WINDOW = { parameter = "int32_t hidden", argument = "b->key_begin[i] - (int32_t)from",
  test = "(int32_t)j < hidden" }

-- The words for templates. row_ranges(format): the format for each of the arrays, %s being its name.
function ranges.words(spec)
  local arrays = spec.key_lower_bound and { "key_begin", "key_end" } or { "key_end" }
  local words = {}
  for name, text in pairs(spec.key_lower_bound and BOUNDED_BELOW or FROM_FIRST_KEY) do words[name] = text end
  words.begins_late = spec.key_lower_bound or false
  words.hidden = spec.nonfinite_safe and WEIGHTLESS or spec.key_lower_bound and BEFORE_WINDOW or false
  function words.row_ranges(format, separator)
    local parts = {}
    for i, array in ipairs(arrays) do parts[i] = format:gsub("%%s", array) end
    return table.concat(parts, separator or ", ")
  end
  -- The highest score of row i and those of no key, which this puts after it; max: that of its keys.
  function words.with_extra_logits(i, max)
    return spec.n_extra_logits and ("append_extra_logits(head, b, %s, %s)"):format(i, max) or max
  end
  return words
end

-- The place of row i of a block among the keys, which is where its causal mask and its distances count from.
function ranges.own_place(spec)
  if spec.causal ~= "bottom_right" then return "(int32_t)(b->from + i)" end
  return "((int32_t)(b->from + i + head->n_keys) - (int32_t)head->n_queries)"
end

return ranges
