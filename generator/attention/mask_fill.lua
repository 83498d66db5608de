-- mask_fill.lua: what a masked score is replaced by: -inf, so that its key has no weight, or a finite number, as
-- masked_fill over the whole padded matrix of scores replaces it. A key outside a row's range then has that score: its
-- own is never computed, and its value enters only where the number gives it a weight compared with the row's highest
-- score. A whole model has no rows of padding: there the number replaces scores of the sequence's own keys, and it must
-- be so low that padding would have no weight in PyTorch either.
local fmt = require "base.fmt"
local types = require "schema.types"

local LARGEST = 3.4028234663852886e38
local NATURAL = 1e30      -- beyond, the number times log2 e might be no float
local NO_WEIGHT = -103.98 -- e to the power of it is no float but 0
local MOST_OF_STACK = -1000 -- scores of any use are far above it

local number = types.number(-LARGEST, LARGEST)

local function check(value)
  if value == "-inf" then return value end
  local fill = number(value)
  if fill then return fill end
  return nil, ('must be "-inf" or a finite number that replaces a masked score, found %s'):format(types.shown(value))
end

-- What the spec masks scores with.
local function masks(spec)
  return spec.causal or spec.window or spec.lengths or spec.mask_tensor == "bool" or
    spec.mask and spec.mask.memory == "bool"
end

-- A number that gives padding a weight, where a model computes none.
local function check_stack(spec, fail)
  if spec.lengths and spec.fill > MOST_OF_STACK then
    fail(('mask_fill (%s) could give padding a weight, and kind = "%s" computes no padding: take at most %d, as ' ..
      '-1e9 is, or mask.lengths = false, for sequences without padding'):format(fmt.double(spec.fill), spec.kind,
      MOST_OF_STACK))
  end
end

local SENTENCE = "masked scores are replaced by %s%s; %s"

return {
  name = "mask_fill",
  in_layers = true,
  fields = {
    { field = "mask_fill", flag = "--mask-fill", value = "-inf|X", parse = types.to_number,
      check = types.described("`\"-inf\"` or a finite number", check),
      default = "-inf",
      help = "the score of a masked key, and of a key past a length; a finite number does what " ..
      "masked_fill does in PyTorch",
      group = "masks", example = "mask_fill = -10000" },
  },
  resolve = function(spec, fail)
    spec.fill = type(spec.mask_fill) == "number" and spec.mask_fill or false
    spec.fills_padding = false
    if not spec.fill then return end
    if not masks(spec) then
      fail(('mask_fill (%s) replaces masked scores, and nothing masks: mask.causal, mask.window and mask.lengths ' ..
        'are off, and mask.tensor is not "bool"%s'):format(fmt.double(spec.fill),
        spec.stack and spec.kind ~= "encoder" and ", nor mask.memory" or ""))
    end
    spec.needs_natural_scores = spec.needs_natural_scores or math.abs(spec.fill) > NATURAL
    if spec.stack then check_stack(spec, fail) end
    spec.fills_padding = spec.lengths and not spec.stack and not spec.is_part
    spec.nonfinite_safe, spec.full_range_fallback = true, true
  end,
  on = function(spec) return spec.fill end,
  uses = { "full_range_fallback" },
  properties = function(spec)
    return { { "fills", true }, { "fills_padding", spec.fills_padding }, { "mask_fill", spec.fill } }
  end,
  sentence = function(spec)
    if not spec.fill then return nil end
    local fill = fmt.double(spec.fill)
    local padding = spec.fills_padding and ", also those of padding, whose keys and values are computed" or ""
    return SENTENCE:format(fill, padding, spec.fill > NO_WEIGHT and
      ("WARNING: %s does not mask: beside a score of 0 a masked key keeps a weight of exp(%s)"):format(fill, fill) or
      "a masked key has the weight that this gives it, beside common scores none")
  end,
}
