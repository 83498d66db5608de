-- score_features_test.lua: the spec fields of features that change which scores softmax sees, and how: what they
-- accept, and how they name two fields that contradict each other.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local function with_sizes(more)
  local raw = { d_model = 8, n_heads = 2 }
  for key, value in pairs(more) do raw[key] = value end
  return raw
end

local function accepts(more)
  local s, errors = spec.from_fields(with_sizes(more))
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local function refuses(more, message)
  local _, errors = spec.from_fields(with_sizes(more))
  fact.lists_equal(errors or {}, { message })
end

fact.holds("a window says to which sides it reaches, and does not contradict a causal mask", function()
  refuses({ mask = { window = 0, causal = true } }, "mask.window must be a whole number from 1 to 65536, found 0")
  refuses({ mask = { window = 3 } }, 'mask.window (3) reaches to the left of a query only and mask.causal is off: ' ..
    'set mask.causal, or mask.window_sides = "both"')
  refuses({ mask = { window = 3, window_sides = "both", causal = true } },
    'mask.window_sides ("both") and mask.causal ("top_left") contradict each other: no later key is seen')
  refuses({ mask = { window_sides = "both" } },
    'mask.window_sides ("both") says to which sides of a query mask.window reaches, and there is no mask.window')
  fact.equal(accepts({ mask = { window = 3, causal = true } }).window_sides, "left")
  fact.equal(accepts({ mask = { window = 3, window_sides = "both" } }).window, 3)
end)

fact.finish()
