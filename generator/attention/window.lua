-- window.lua: a query sees only the keys near its own place. Gives each row's key range a lower bound: tiles left of it
-- are neither computed nor read, and the first vector of a row's scores is cut where the window begins.
local types = require "schema.types"

return {
  name = "window",
  in_layers = true,
  fields = {
    { field = "mask.window", flag = "--window", check = types.count(1, 65536), default = "none",
      help = "with a causal mask: a query sees the last N keys up to and including its own position",
      group = "masks", example = "mask = { causal = true, window = 128 }" },
    { field = "mask.window_sides", flag = "--window-sides", check = types.choice({ "left", "both" }), default = "left",
      help = "both, without a causal mask: query i sees the keys j with |i - j| < N",
      group = "masks", example = 'mask = { window = 128, window_sides = "both" }',
      meaning = 'the sides of the window. `"left"`: earlier keys, with a causal mask. `"both"`: query i ' ..
        'sees the keys j with |i - j| < N, without a causal mask' },
  },
  resolve = function(spec, fail)
    local mask = spec.mask or {}
    spec.window, spec.window_sides = mask.window, mask.window and (mask.window_sides or "left")
    spec.key_lower_bound = spec.window ~= nil
    if mask.window_sides and not mask.window then
      fail(('mask.window_sides ("%s") says to which sides of a query mask.window reaches, and there is no ' ..
        'mask.window'):format(mask.window_sides))
    elseif spec.window_sides == "left" and not spec.causal then
      fail(('mask.window (%d) reaches to the left of a query only and mask.causal is off: set mask.causal, or ' ..
        'mask.window_sides = "both"'):format(spec.window))
    elseif spec.window_sides == "both" and spec.causal then
      fail(('mask.window_sides ("both") and mask.causal ("%s") contradict each other: no later key is seen'):format(
        spec.causal))
    end
  end,
  on = function(spec) return spec.window end,
  uses = { "causal", "key_lower_bound" },
  properties = function(spec)
    return { { "window", spec.window }, { "window_both", spec.window_sides == "both" } }
  end,
  sentence = function(spec)
    if not spec.window then return nil end
    local seen = spec.window_sides == "both" and "query i sees keys closer than %d places" or
      "a query sees the last %d keys up to its own place"
    return seen:format(spec.window) .. "; tiles of keys outside are not computed"
  end,
}
