-- cache_test.lua: what cache says of a spec, what it contradicts, and what the plan makes of it.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local isa = require "isa"
local plan = require "plan"
local spec = require "spec"

local function read(more)
  local raw = { d_model = 64, n_heads = 4, seq_len = "1..32", cache = 100 }
  for key, value in pairs(more or {}) do raw[key] = value end
  return spec.from_fields(raw)
end

local function refuses(more, wanted)
  local s, errors = read(more)
  fact.equal(s, nil)
  fact.equal(errors[1], wanted)
end

fact.holds("what joins a cache is causal from the bottom right unless the spec says that it is not", function()
  fact.equal(read().causal, "bottom_right")
  fact.equal(read({ mask = { causal = true } }).causal, "bottom_right")
  fact.equal(read({ mask = { causal = false } }).causal, false)
  fact.equal(read({ mask = { window = 5 } }).causal, "bottom_right")
  refuses({ mask = { causal = "top_left" } }, 'mask.causal = "top_left" counts queries from the first key, which ' ..
    'with cache (100) is an earlier call\'s; say "bottom_right" or false')
end)

fact.holds("cache names the fields that contradict it", function()
  refuses({ cache = 31 }, "cache (31) is smaller than seq_len (at most 32), so one call could not be held")
  refuses({ cache = 33, kv_seq_len = 40 },
    "cache (33) is smaller than kv_seq_len (at most 40), so one call could not be held")
  refuses({ outputs = { "attention" } }, "cache (100) contradicts outputs, which lists intermediates, whose " ..
    "keys are those of one call")
  refuses({ heads = "shared" }, 'cache (100) contradicts heads = "shared", which is not generated with one')
  refuses({ add_zero_attn = true }, "cache (100) contradicts add_bias_kv and add_zero_attn, which come after the " ..
    "last key, where the next call's keys go")
  refuses({ mask_fill = -1e9 }, "cache (100) contradicts mask_fill, which gives later keys a weight, which come " ..
    "with a later call")
  refuses({ mask = { tensor = "bool" } },
    "cache (100) contradicts mask.tensor, which is given for the keys of one call")
  refuses({ mask = { causal = false }, alibi = true }, "cache (100) contradicts mask.causal = false with alibi or " ..
    "relative_bias, which leaves a query without a place among the keys")
  refuses({ mask = { causal = false, window = 3, window_sides = "both" } }, "cache (100) contradicts " ..
    'mask.window_sides = "both", which looks at later keys, which come with a later call')
end)

fact.holds("a cache's type is one of those that are known, and needs a cache", function()
  fact.equal(read().cache_dtype, "f32")
  fact.equal(read({ cache_dtype = "bf16" }).cache_dtype, "bf16")
  fact.equal(read({ cache_dtype = "int8" }).cache_dtype, "int8")
  refuses({ cache_dtype = "f16" }, 'cache_dtype must be one of f32, bf16, int8, found "f16"; did you mean "bf16"?')
  refuses({ cache_dtype = "int4" }, 'cache_dtype must be one of f32, bf16, int8, found "int4"; did you mean "int8"?')
  local s, errors = spec.from_fields({ d_model = 64, n_heads = 4, seq_len = "1..32", cache_dtype = "bf16" })
  fact.equal(s, nil)
  fact.equal(errors[1], 'cache_dtype ("bf16") is given, but there is no cache to keep it in; say cache = N')
end)

fact.holds("a decoder's cache keeps what it attends to in the type of its own rows", function()
  local s = assert(spec.from_fields({ kind = "transformer", d_model = 64, n_heads = 4, d_ff = 64, n_layers = 1,
    seq_len = "1..32", cache = 100, cache_dtype = "bf16" }))
  fact.equal(s.decoder_spec.attention_spec.cache_dtype, "bf16")
  fact.equal(s.decoder_spec.memory_spec.cache_dtype, "bf16")
  fact.equal(s.encoder_spec.attention_spec.cache_dtype, "f32")
end)

fact.holds("kernels that read a cache have its type in their names, and others not", function()
  for _, name in ipairs(isa.names()) do
    local p = plan.make(read({ cache_dtype = "bf16" }), isa.get(name))
    for _, family in ipairs({ p.score, p.value }) do fact.equal(family.dtype, "bf16") end
    fact.equal(p.project_of.k.dtype, "f32")
  end
end)

fact.holds("steps of keys stand before a panel's numbers, and a panel is whole steps", function()
  for _, name in ipairs(isa.names()) do
    for _, d_head in ipairs({ 19, 64 }) do
      local p = plan.make(read({ cache_dtype = "int8", d_head = d_head }), isa.get(name))
      fact.equal(p.score.dtype, "int8_row")
      fact.equal(p.attended.header, 2)
      fact.equal(p.attended.panel - p.attended.panel % 2, p.attended.panel)
      assert(p.attended.panel - (d_head + 2) * p.key_panel < 2)
    end
  end
end)

fact.holds("info says how many bytes a cached row of a head takes where it has a scale", function()
  local said = table.concat(spec.sentences(read({ cache_dtype = "int8", d_head = 19 })), "\n")
  fact.contains(said, "kept as int8, integers with a scale for each row, 21 bytes a row of a head, rounded once")
end)

fact.holds("a row of scores holds all keys of a cache, whose panels are not in scratch", function()
  for _, name in ipairs(isa.names()) do
    local p = plan.make(read(), isa.get(name))
    assert(p.scores_stride >= 100)
    fact.equal(p.value_stride, p.d_head_pad)
    for _, buffer in ipairs(p.buffers) do assert(buffer.name ~= "panels") end
  end
end)

fact.holds("sums of all columns of a value stay in registers for as many rows as there is room", function()
  for _, name in ipairs(isa.names()) do
    local set = isa.get(name)
    local value = plan.make(read({ d_model = 256 }), set).value
    local columns = 0
    for _, nv in ipairs(value.widths) do columns = columns + nv end
    for _, kernel in ipairs(value.kernels) do
      assert(kernel.mr * kernel.nv <= set.max_accumulators)
      assert(kernel.nv <= value.nv or kernel.nv == columns)
    end
  end
end)

local function read_stack(more)
  local raw = { kind = "decoder", name = "d", d_model = 64, n_heads = 4, n_layers = 2, seq_len = "1..32",
    kv_seq_len = "1..7" }
  for key, value in pairs(more) do raw[key] = value end
  return assert(spec.from_fields(raw))
end

fact.holds("what a decoder with a cache attends to has one too, of as many keys as there may be, all seen", function()
  for _, kind in ipairs({ "decoder", "transformer" }) do
    local s = read_stack({ kind = kind, cache = 100 })
    local memory = (s.decoder_spec or s).memory_spec
    fact.equal(memory.cache, 7)
    fact.equal(memory.causal, false)
    local said = table.concat(spec.sentences(s), "\n")
    assert(said:find("see all of them; those of what a decoder attends to are made once a sequence", 1, true))
  end
  fact.equal(read_stack({}).memory_spec.cache, nil)
  fact.equal(read_stack({}).memory_spec.causal, false)
end)

fact.holds("a decoder may attend to more rows than its cache holds of its own", function()
  fact.equal(read_stack({ cache = 32, kv_seq_len = 200 }).memory_spec.cache, 200)
  local s, errors = spec.from_fields({ kind = "decoder", d_model = 64, n_heads = 4, n_layers = 1, seq_len = 33,
    kv_seq_len = 7, cache = 32 })
  fact.equal(s, nil)
  fact.equal(errors[1], "cache (32) is smaller than seq_len (at most 33), so one call could not be held")
end)

fact.holds("each cache of a model has its own layout", function()
  for _, file in ipairs(emit.files(read_stack({ cache = 100 }), { "avx2" })) do
    if file.path == "d.c" then
      assert(file.text:find(" .cache = {.key_panel = 16, .value_stride = 16}", 1, true))
      assert(file.text:find(" .memory_cache = {.key_panel = 8, .value_stride = 16}", 1, true))
    end
  end
end)

fact.finish()
