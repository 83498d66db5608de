-- score_features_test.lua: the spec fields of features that change which scores softmax sees, and how: what they
-- accept, and how they name two fields that contradict each other.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
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

-- -- One loop -------------------------------------------------------------------------------------------------------

-- The text of ready_row, which makes a row of scores ready for softmax.
local function ready_row(s)
  for _, file in ipairs(emit.files(s, { "avx2" })) do
    if file.path:find("_attend.c", 1, true) then return file.text:match("\nstatic float ready_row.-\n}\n") end
  end
end

fact.holds("all that changes scores shares one loop over a row, in the declared order", function()
  local text = ready_row(accepts({ softcap = 2, alibi = true, mask = { tensor = "additive" },
    relative_bias = { num_buckets = 8 }, outputs = { "scores", "q_heads" } }))
  local _, loops = text:gsub("\n    for %(size_t j = ", "")
  fact.equal(loops, 1)
  local at = 0
  for _, words in ipairs({ "x = _mm256_mul_ps%(x", "tanh_vec%(", "fmadd_ps%(slope", "relative %+ %(key_0",
    "vec_add_mask%(x" }) do
    at = assert(text:find(words, at + 1), words)
  end
end)

fact.holds("a row that nothing changes is not written", function()
  assert(not ready_row(accepts({})):find("for (", 1, true))
end)

-- -- Softcap, sinks -------------------------------------------------------------------------------------------------

fact.holds("a cap is above zero", function()
  refuses({ softcap = 0 }, "softcap must be above 0, found 0: scores are squeezed to -softcap .. softcap")
  refuses({ softcap = -50 }, "softcap must be above 0, found -50: scores are squeezed to -softcap .. softcap")
  refuses({ softcap = "50" }, 'softcap must be a number from 0.001 to 1e+06, found "50"')
  fact.equal(accepts({ softcap = 50 }).softcap, 50)
end)

fact.holds("sinks are a weight of one number a head", function()
  local s = accepts({ sinks = true })
  fact.equal(s.roles[#s.roles].name, "sinks")
  fact.lists_equal(s.roles[#s.roles].shape, { 2 })
  fact.equal(accepts({ sinks = false }).n_extra_logits, false)
  refuses({ sinks = true, masked_row = "uniform" },
    'masked_row ("uniform") and sinks contradict each other: the sink takes all of a row that sees no key')
  refuses({ sinks = true, add_zero_attn = true },
    "sinks and add_zero_attn are two ways of the same, and no layer has both")
  refuses({ softcap = 50, add_bias_kv = true },
    "softcap (50) is not generated for the score of the key that add_bias_kv adds")
  refuses({ sinks = 1 }, "sinks must be true or false, found 1")
end)

-- -- Position biases ------------------------------------------------------------------------------------------------

local function slopes(n_heads)
  return accepts({ d_model = 8 * n_heads, n_heads = n_heads, alibi = true }).alibi_slopes
end

fact.holds("slopes fall by equal factors to 2^-8 for a power of two of heads", function()
  fact.lists_equal(slopes(1), { 2 ^ -8 })
  fact.lists_equal(slopes(2), { 2 ^ -4, 2 ^ -8 })
  fact.lists_equal(slopes(8), { 2 ^ -1, 2 ^ -2, 2 ^ -3, 2 ^ -4, 2 ^ -5, 2 ^ -6, 2 ^ -7, 2 ^ -8 })
  fact.equal(slopes(16)[1], 2 ^ -0.5)
end)

fact.holds("other numbers of heads take the slopes of the power of two below, then some of the one above", function()
  fact.lists_equal(slopes(3), { 2 ^ -4, 2 ^ -8, 2 ^ -2 })
  fact.lists_equal(slopes(6), { 2 ^ -2, 2 ^ -4, 2 ^ -6, 2 ^ -8, 2 ^ -1, 2 ^ -3 })
  fact.equal(#slopes(12), 12)
  fact.lists_equal({ slopes(12)[8], slopes(12)[9], slopes(12)[12] }, { 2 ^ -8, 2 ^ -0.5, 2 ^ -3.5 })
end)

fact.holds("buckets begin where T5's do", function()
  local function starts(more)
    return accepts({ relative_bias = more }).relative_starts
  end
  fact.lists_equal(starts({ num_buckets = 32, max_distance = 128 }),
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91 })
  fact.lists_equal(starts({ num_buckets = 32, bidirectional = false }),
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99,
      113 })
  fact.equal(accepts({ relative_bias = { num_buckets = 8 }, mask = { causal = true } }).relative_side, 8)
  fact.equal(accepts({ relative_bias = { num_buckets = 8 } }).relative_side, 4)
end)

fact.holds("sizes that make no buckets are refused with both fields", function()
  refuses({ relative_bias = { num_buckets = 7 } }, "relative_bias.num_buckets (7) must be an even number from 4, " ..
    "half of them for later keys, as relative_bias.bidirectional is true")
  refuses({ relative_bias = { num_buckets = 32, max_distance = 8 } }, "relative_bias.max_distance (8) must be " ..
    "greater than 8, the distances that have a bucket of their own with relative_bias.num_buckets = 32")
  refuses({ relative_bias = true }, "relative_bias must be a table like { num_buckets = ... }, found true")
end)

-- -- Disentangled attention -----------------------------------------------------------------------------------------

fact.holds("rows of relative positions are those of PyTorch's buckets, or end at the table's ends", function()
  local function rows(more)
    local s = accepts({ seq_len = "1..20", disentangled = more })
    return s.disentangled_rows(s)
  end
  fact.equal(rows({ span = 8, max_distance = 20 }), "15, 15, 15, 15, 15, 15, 15, 15, 14, 14, 14, 14, 14, 13, 13, " ..
    "12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1")
  fact.contains(rows({ span = 3 }), "5, 5, 5, 4, 3, 2, 1, 0, 0, 0")
end)

fact.holds("weights of relative positions are a table, a norm, and linears where these are their own", function()
  local function roles(more)
    local names = {}
    for _, role in ipairs(accepts({ disentangled = more }).roles) do
      names[#names + 1] = role.name:match("^disentangled_(.*)$")
    end
    return table.concat(names, " ")
  end
  fact.equal(roles({ span = 8 }), "table")
  fact.equal(roles({ span = 8, norm_eps = 0.1 }), "table norm_weight norm_bias")
  fact.equal(roles({ span = 8, own_linears = true, terms = "p2c" }), "table q_weight q_bias")
  fact.equal(roles({ span = 8, own_linears = true }), "table k_weight k_bias q_weight q_bias")
end)

fact.holds("disentangled attention refuses what it is not generated with", function()
  refuses({ disentangled = { span = 8 }, mask = { causal = true } }, "disentangled is not generated with mask.causal")
  refuses({ disentangled = { span = 8 }, rope = { layout = "half_split" } },
    "disentangled is not generated with rope")
  refuses({ disentangled = { terms = "c2p" } }, "disentangled.span is missing, but there are other fields of " ..
    "disentangled: half the rows of its table")
  refuses({ disentangled = { span = 8, max_distance = 5 } }, "disentangled.max_distance (5) must be greater than 5: " ..
    "disentangled.span (8) gives distances up to 4 a row of their own")
  refuses({ disentangled = { span = 8 }, dtype = { attention = "int8" } },
    'dtype.attention = "int8" contradicts disentangled, which adds products of floats to scores')
  refuses({ disentangled = { span = 8 }, dtype = "int8" }, "disentangled is not generated with a dtype other than f32")
  refuses({ disentangled = { span = 8 }, weights_dtype = "bf16" }, "disentangled is not generated with weights_dtype")
  refuses({ disentangled = { span = 8 }, head_scale = true }, "disentangled is not generated with head_scale")
end)

fact.finish()
