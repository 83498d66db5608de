-- causal.lua: a query sees no later key. Shortens each row's key range; whole tiles beyond it are never computed,
-- only the tile on the diagonal compares.
local types = require "schema.types"

local ALIGNMENTS = { top_left = "top_left", bottom_right = "bottom_right" }

local function check(value)
  if value == true or value == false then return value end
  if ALIGNMENTS[value] then return value end
  return nil, ('must be true, false, "top_left" or "bottom_right", found %s'):format(types.shown(value))
end

local function parse(word)
  if word == "off" then return false end
  if ALIGNMENTS[word] then return word end
  return nil, ("must be top_left, bottom_right or off, found %s"):format(types.shown(word))
end

return {
  name = "causal",
  in_layers = true,
  fields = {
    { field = "mask.causal", flag = "--causal", value = "top_left|bottom_right|off",
      check = types.described("`true`, `false`, `\"top_left\"`, `\"bottom_right\"`", check),
      implied = "top_left", parse = parse, default = "off; bottom_right with --cache",
      help = "query i sees keys 0..i (top_left: PyTorch's is_causal, and the meaning of --causal alone) or " ..
      "0..i + kv_len - q_len (bottom_right)",
      group = "masks", example = "mask = { causal = true }",
      meaning = 'which later keys a query sees. `"top_left"`: query i sees keys 0..i, as `is_causal` of PyTorch. ' ..
        '`"bottom_right"`: query i sees keys 0..i + kv_len - q_len. `true` is `"bottom_right"` in a model with ' ..
        'a cache and `"top_left"` in any other. A decoder is always causal' },
  },
  resolve = function(spec)
    local causal = spec.mask and spec.mask.causal
    if causal == nil then -- what joins a cache is a sequence's next rows, and a decoder says one row after the other
      causal = spec.cache ~= nil or spec.kind == "decoder" or spec.kind == "transformer"
    end
    if causal == true then causal = spec.cache and "bottom_right" or "top_left" end
    spec.causal = causal
  end,
  on = function(spec) return spec.causal end,
  sentence = function(spec)
    if not spec.causal then return nil end
    return "causal, aligned " .. spec.causal:gsub("_", " ") .. ": tiles beyond the diagonal are not computed"
  end,
}
