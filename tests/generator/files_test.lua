-- files_test.lua: which files a spec becomes: all of them are made of templates that there are, each once, and a plan
-- says of each instruction set what the model's facts need.
local fact = dofile("tests/generator/fact.lua")
local files = require "plan.files"
local fs = require "base.fs"
local isa = require "isa"
local shape = require "plan.shape"
local shapes = dofile("tests/generator/shapes.lua")
local spec = require "spec"
local variant = require "plan.variant"

local MORE = { { kind = "mha" }, { kind = "sdpa", d_head = 8 }, { kind = "encoder", n_layers = 2 },
  { kind = "decoder", n_layers = 2, cache = 600 }, { kind = "transformer", n_layers = 2 },
  { kind = "encoder", n_layers = 0, sublayer = true } }

local function make(more)
  local raw = { d_model = 16, n_heads = 2 }
  for key, value in pairs(more) do raw[key] = value end
  if raw.n_layers == 0 then raw.n_heads = nil end
  local s, errors = spec.from_fields(raw)
  return s or error(table.concat(errors, "\n"), 2)
end

-- The suffixes of a plan's files, in order.
local function names_of(s, prefix)
  local names = {}
  for _, file in ipairs(files.outputs(s, { "scalar" })) do
    names[#names + 1] = file.path:sub(1, #prefix) == prefix and file.path:sub(#prefix + 1) or nil
  end
  return names
end

fact.holds("every file has a template, a name of its own and a kind, and what packs is known of each instruction set",
  function()
    for _, more in ipairs(MORE) do
      local s = make(more)
      local seen, packs, tells = {}, {}, 0
      for _, file in ipairs(files.list(s, files.plans(s, isa.names()))) do
        assert(fs.read("templates/" .. file.template), file.template)
        assert(not seen[file.path], file.path)
        assert(file.kind == "header" or file.kind == "internal" or file.kind == "library" or file.kind == "program")
        fact.equal(file.isa ~= nil, file.plan ~= nil)
        seen[file.path] = true
        if file.packs then packs[file.isa] = true end
        if file.tells then tells = tells + 1 end
      end
      for _, name in ipairs(shapes.isas()) do fact.equal(packs[name], #s.roles > 0 or nil) end
      fact.equal(tells, 1)
    end
  end)

fact.holds("a layer is kernels, loops over them and packed parts; a stack has its attentions' files after its own",
  function()
    local s = make({ kind = "mha" })
    fact.lists_equal(names_of(s, s.name .. "__scalar"), { "_kernels.h", "_multiply.c", "_f32_gemm_k16.c",
      "_f32_score_d8_s528.c", "_f32_value_d8_s528.c", ".h", "_attend.c", "_layer.c", "_parts.c" })
    s = make({ kind = "sdpa", d_head = 8 })
    fact.lists_equal(names_of(s, s.name .. "__scalar"), { "_kernels.h", "_f32_score_d8_s528.c", "_f32_value_d8_s528.c",
      ".h", "_attend.c", "_layer.c" })
    s = make({ kind = "decoder", n_layers = 2 })
    local order = {}
    for _, file in ipairs(files.outputs(s, { "scalar" })) do
      order[#order + 1] = file.path:match("^" .. s.name .. "(_?%l*)__scalar%.h$")
    end
    fact.lists_equal(order, { "", "_memory", "_self" })
    local parts = {}
    for i, part in ipairs(files.parts(s)) do parts[i] = part.name:sub(#s.name + 1) end
    fact.lists_equal(parts, { "_self", "_memory" })
  end)

fact.holds("what a dtype needs of a CPU is said where it lacks it, and nothing where it has it", function()
  local s, has = make({ dtype = "int8" }), { AVX512F = "usable", AVX512BW = "usable", AVX512_VNNI = "usable" }
  fact.lists_equal(files.lacking(s, "avx512", { AVX512F = "usable" }), { "AVX512BW", "AVX512_VNNI" })
  fact.lists_equal(files.lacking(s, "avx512", { AVX512BW = "usable", AVX512_VNNI = "disabled" }),
    { "AVX512_VNNI" })
  fact.lists_equal(files.lacking(s, "avx512", has), {})
  fact.lists_equal(files.lacking(s, "scalar", {}), {})
  fact.lists_equal(files.lacking(make({}), "avx512", {}), {})
end)

fact.holds("a cache is laid out where there is one, that of a memory too", function()
  for _, more in ipairs(MORE) do
    local s = make(more)
    local plan = files.plans(s, { "scalar" })[1]
    local facts = variant(plan)
    assert(#facts.kernels <= #plan.families and (#facts.kernels > 0) == (#plan.families > 0))
    fact.equal(facts.cache ~= false, s.cache ~= nil)
    fact.equal(facts.memory_cache ~= false, s.cache ~= nil and s.kind == "decoder")
  end
end)

fact.holds("weights are alike, own where inputs differ in width, or shared by all heads", function()
  fact.equal(shape.of(make({})).weights_are, "alike")
  fact.equal(shape.of(make({ k_dim = 8 })).weights_are, "own")
  fact.equal(shape.of(make({ heads = "shared" })).weights_are, "shared")
  fact.equal(shape.of(make({ kind = "sdpa", d_head = 8 })).form, "given")
  fact.equal(shape.of(make({})).key_ranges_differ, false)
  fact.equal(shape.of(make({ mask = { causal = "top_left" } })).key_ranges_differ, true)
  fact.raises("no role is called q_norm_weight", shape.of(make({})).role_at, "q_norm_weight")
end)

fact.finish()
