-- relative_bias.lua: a learned number per head and bucket of distances is added to each score, as in T5.
-- Packing looks the buckets up once for every distance, so that a row of scores adds a row of numbers. Layers of a
-- stack have a table each, or one for all as in T5 and MPNet.
local elementary = require "base.elementary"
local types = require "schema.types"

local MAX_DISTANCE, MAX_BUCKETS = 65536, 4096

-- PyTorch computes buckets in floats, which decides where one begins at a whole distance.
local f32 = elementary.f32

-- The bucket of a distance: one for each up to half of them, then ever wider ones up to max_distance.
local function bucket(distance, count, max_distance)
  local exact = math.floor(count / 2)
  if distance < exact then return distance end
  local share = f32(f32(elementary.log(f32(distance / exact))) / f32(elementary.log(max_distance / exact)))
  return math.min(exact + math.floor(f32(share * (count - exact))), count - 1)
end

-- The smallest distance of each bucket of one side; several may begin at one distance, and then only the last is used.
local function bucket_starts(count, max_distance)
  local starts, distance = {}, 0
  for b = 0, count - 1 do
    while distance < max_distance and bucket(distance, count, max_distance) < b do distance = distance + 1 end
    starts[#starts + 1] = distance
  end
  return starts
end

-- Whether the sizes make buckets.
local function check_sizes(spec, bias, fail)
  local own = math.floor(spec.relative_side / 2) -- distances with a bucket of their own
  if bias.bidirectional and (bias.num_buckets < 4 or bias.num_buckets % 2 == 1) then
    fail(("relative_bias.num_buckets (%d) must be an even number from 4, half of them for later keys, as " ..
      "relative_bias.bidirectional is true"):format(bias.num_buckets))
  elseif bias.max_distance <= own then
    fail(("relative_bias.max_distance (%d) must be greater than %d, the distances that have a bucket of their own " ..
      "with relative_bias.num_buckets = %d"):format(bias.max_distance, own, bias.num_buckets))
  else
    return true
  end
end

local function resolve(spec, fail)
  local bias = spec.relative_bias
  if not bias then return end
  if bias.bidirectional == nil then bias.bidirectional = not spec.causal end
  bias.num_buckets, bias.max_distance = bias.num_buckets or 32, bias.max_distance or 128
  spec.relative_side = math.floor(bias.num_buckets / (bias.bidirectional and 2 or 1)) -- buckets of one side
  if not check_sizes(spec, bias, fail) then return end
  spec.relative_starts = bucket_starts(spec.relative_side, bias.max_distance)
  -- Distances from -places to the end of the row, and up to a whole vector after it.
  local own_key = spec.causal == "bottom_right"
  spec.relative_places = (spec.cache or (own_key and spec.kv_seq_len or spec.seq_len).max) - 1
  spec.relative_span = spec.relative_places + (spec.causal and 1 or spec.kv_seq_len.max) + 16
end

return {
  name = "relative_bias",
  fields = {
    { field = "relative_bias.num_buckets", flag = "--relative-buckets", check = types.count(2, MAX_BUCKETS),
      default = "none, or 32",
      help = "a learned number for each head and each of N buckets of distances is added to the scores, as in T5",
      group = "positions", example = "relative_bias = { num_buckets = 32 }" },
    { field = "relative_bias.max_distance", flag = "--relative-distance", check = types.count(2, MAX_DISTANCE),
      default = "128", help = "distances of N and more share a bucket",
      group = "positions", example = "relative_bias = { num_buckets = 32, max_distance = 128 }" },
    { field = "relative_bias.bidirectional", flag = "--relative-bidirectional", check = types.boolean,
      default = "yes unless causal", help = "later keys have their own buckets",
      group = "positions", example = "relative_bias = { num_buckets = 32, bidirectional = true }" },
    { field = "relative_bias.shared", flag = "--relative-shared", check = types.boolean, default = "no",
      help = "one table serves all layers of a stack, as in T5 and MPNet; no: each layer has its own",
      group = "positions", example = "relative_bias = { num_buckets = 32, shared = true }",
      meaning = "one table serves all layers of a stack, as in T5 and MPNet; otherwise each layer has its own. A " ..
        "single layer has one in any case" },
  },
  resolve = resolve,
  roles = function(spec, add)
    local bias = spec.relative_bias
    if bias then add("relative_bias", { bias.num_buckets, spec.n_heads }, bias.shared) end
  end,
  packed = function(spec, add)
    if not spec.relative_bias then return end
    add("relative_bias", spec.n_heads * spec.relative_span, { { kind = "buckets", role = "relative_bias",
      heads = spec.n_heads, span = spec.relative_span, own = spec.relative_places, starts = spec.relative_starts,
      has_later = spec.relative_bias.bidirectional, in_scores = true } })
  end,
  score_order = "bias",
  after = { "causal" },
  by_distance = true,
  weights = { "relative_bias" },
  on = function(spec) return spec.relative_bias end,
  properties = function(spec)
    local bias = spec.relative_bias
    return { { "relative_buckets", bias.num_buckets }, { "relative_distance", bias.max_distance },
      { "relative_both", bias.bidirectional } }
  end,
  sentence = function(spec)
    local bias = spec.relative_bias
    return bias and ("scores add a learned number of %d buckets of distances up to %d%s%s"):format(bias.num_buckets,
      bias.max_distance, bias.bidirectional and ", half of them for later keys" or "",
      bias.shared and "; one table for all layers" or "") or nil
  end,
}
