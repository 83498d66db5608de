-- rope.lua: rotary positions: pairs of a head's dimensions in q and k turn by angles that grow with the row's place.
-- Adds to the stage after a projection; the angles' cosines and sines are stored with the packed weights: those of a
-- layer by itself here, those of a stack's layers once for all that have the same (ops/attention.lua).
local fmt = require "base.fmt"
local types = require "schema.types"

-- Where the table's rows must reach: the longest sequence, from place 0 on.
local function longest(spec)
  return spec.cache or math.max(spec.seq_len.max, spec.kv_seq_len.max)
end

local function check_pairs(spec, rope, fail)
  if rope.rotary_dim and rope.rotary_dim % 2 ~= 0 then
    fail(('rope.rotary_dim (%d) is odd, but rope.layout ("%s") turns pairs of dimensions'):format(
      rope.rotary_dim, rope.layout))
  elseif not rope.rotary_dim and spec.d_head % 2 ~= 0 then
    fail(('d_head (%d) is odd, but rope.layout ("%s") turns pairs of dimensions; rope.rotary_dim may turn fewer')
      :format(spec.d_head, rope.layout))
  elseif rope.rotary_dim and rope.rotary_dim > spec.d_head then
    fail(("rope.rotary_dim (%d) is more than d_head (%d) has"):format(rope.rotary_dim, spec.d_head))
  end
end

local function check_positions(spec, rope, fail)
  if rope.positions and rope.positions < longest(spec) then
    fail(("rope.positions (%d) is less than the longest sequence of seq_len, kv_seq_len and cache (%d)"):format(
      rope.positions, longest(spec)))
  end
end

return {
  name = "rope",
  in_layers = true,
  fields = {
    { field = "rope.layout", flag = "--rope", check = types.choice({ "half_split", "interleaved" }), default = "none",
      help = "rotary positions of q and k: dimension i pairs with i + rotary_dim / 2 (Llama), or 2 i with 2 i + 1 " ..
      "(GPT-J)",
      group = "positions", example = 'rope = { layout = "half_split" }',
      meaning = 'rotary positions of q and k. `"half_split"`: dimension i pairs with i + rotary_dim / 2, as in ' ..
        'Llama. `"interleaved"`: dimension 2 i pairs with 2 i + 1, as in GPT-J' },
    { field = "rope.theta", flag = "--rope-theta", check = types.number(1, 1e12), default = "10000",
      help = "pair i is rotated by an angle of X^(-2 i / rotary_dim) from one row to the next",
      group = "positions", example = 'rope = { layout = "half_split", theta = 500000 }' },
    { field = "rope.rotary_dim", flag = "--rope-dim", check = types.count(2, 1024), default = "d_head",
      help = "how many dimensions of a head rotate, from the first on",
      group = "positions", example = 'rope = { layout = "interleaved", rotary_dim = 8 }' },
    { field = "rope.positions", flag = "--rope-positions", check = types.count(1, 16777216),
      default = "the longest sequence", help = "number of positions: a call may say where " ..
      "each sequence starts, if it ends before position N",
      group = "positions", example = 'rope = { layout = "half_split", positions = 4096 }' },
  },
  resolve = function(spec, fail)
    local rope = spec.rope
    spec.rope_places = 0
    if not rope then return end
    if not rope.layout then
      fail("rope.layout is missing, but there are other fields of rope: half_split (Llama) or interleaved (GPT-J)")
      return
    end
    check_pairs(spec, rope, fail)
    check_positions(spec, rope, fail)
    rope.rotary_dim, rope.theta = rope.rotary_dim or spec.d_head, rope.theta or 10000
    spec.rope_longest = longest(spec)
    spec.rope_places = rope.positions or spec.rope_longest
  end,
  -- of_stack: asked for the table that a stack has for its layers.
  packed = function(spec, add, of_stack)
    local rope = spec.rope
    if not rope or spec.is_part and not of_stack then return end
    add("rope", spec.rope_places * rope.rotary_dim, { { kind = "angles", layout = "ROTARY_" .. rope.layout:upper(),
      places = spec.rope_places, width = rope.rotary_dim, theta = rope.theta, scaling = spec.rope_scaling } })
  end,
  on = function(spec) return spec.rope end,
  operations = function(spec, add)
    if not spec.rope then return end
    add("projected", { name = "rope", op = "rotation", reads = { "q", "k" }, writes = { "q", "k" } })
  end,
  helpers = function(spec)
    return spec.rope and spec.rope.layout == "interleaved" and { "turn_pairs" } or nil
  end,
  properties = function(spec)
    local rope = spec.rope
    local list = { { "rope.layout", "ROPE_" .. rope.layout:upper() }, { "rope.theta", rope.theta },
      { "rope.rotary_dim", rope.rotary_dim }, { "rope.positions", spec.rope_places } }
    for _, field in ipairs(spec.rope_scaling or {}) do list[#list + 1] = { "rope.scaling." .. field[1], field[2] } end
    return list
  end,
  sentence = function(spec)
    if not spec.rope then return nil end
    return ("rotary positions, %s, theta %s, of %d dimensions of a head; places 0..%d"):format(
      spec.rope.layout:gsub("_", " "), fmt.double(spec.rope.theta), spec.rope.rotary_dim, spec.rope_places - 1)
  end,
}
