-- kernels_test.lua: what must be true of kernels that linears and parts of a model share. Compiles nothing.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local isa = require "isa"
local kernels = require "plan.kernels"
local plan = require "plan"
local plan_files = require "plan.files"
local spec = require "spec"

local SETS = { "avx512", "avx2", "scalar" }

-- Models with parts that differ in lengths, masks, caches, dtypes or widths.
local MODELS = { "transformer_40_2", "decoder_40_2", "mixed_48_decoder", "int4_36_transformer", "int8_x_int4_42",
  "bf16_cache_48_decoder" }

local function read(name)
  return assert(spec.read("tests/specs/" .. name .. ".lua"))
end

-- The kernels of files: what is written between the name and the end of each, without the numbers that tell groups of
-- one name apart, as keys.
local function bodies(files)
  local set, count = {}, 0
  for _, file in ipairs(files) do
    for body in file.text:gmatch("\nvoid [%w_]+_%d+x[%dx]+[_p%d]*__[%w_]+(%(\n.-\n})") do
      set[body], count = true, count + 1
    end
  end
  return set, count
end

fact.holds("a part's kernels are the same code alone and as part of a model", function()
  for _, name in ipairs(MODELS) do
    local s = read(name)
    local set, seen = bodies(emit.files(s, SETS)), 0
    for _, part in ipairs(plan_files.parts(s)) do
      local own, count = bodies(emit.files(part, SETS))
      for body in pairs(own) do assert(set[body], ("%s lacks a kernel of %s: %s"):format(name, part.name, body)) end
      seen = seen + count
    end
    assert(seen > 0, name)
  end
end)

-- Two linears of depth 512 whose rows lie 512 and 544 floats apart.
local APART = { kind = "encoder", d_model = 512, d_ff = 512, n_heads = 8, n_layers = 1, seq_len = 16 }

fact.holds("a linear has kernels of its own depth, running sums, distance of rows and tile", function()
  local strides = {}
  for _, s in ipairs({ assert(spec.from_fields(APART)), read("transformer_40_2"), read("mixed_48_decoder") }) do
    for _, p in ipairs(plan_files.plans(s, { "avx512", "scalar" })) do
      for _, f in ipairs(p.families) do
        local group, has_sums = f.group, f.sums ~= nil
        assert(not has_sums or group.k == f.k and group.lda == f.lda and group.is_sliced == f.is_sliced, f.op)
        for i, sum in ipairs(f.sums or {}) do
          assert(group.sums[i].count == sum.count and group.sums[i].length == sum.length, f.op)
        end
        for _, kernel in ipairs(f.kernels) do assert(kernel.mr <= f.mr and group.of[kernel.symbol] == kernel) end
        strides[s.d_model == 512 and has_sums and group.lda or 0] = true
      end
    end
  end
  assert(strides[512] and strides[544])
end)

fact.holds("q, k, v and the output of a layer have the kernels of one depth, whatever the strides of rows", function()
  for _, name in ipairs(isa.names()) do
    local p = plan.make(assert(spec.from_fields({ d_model = 512, n_heads = 8 })), isa.get(name))
    assert(p.project_of.q.ldc ~= p.out.ldc)
    fact.equal(p.project_of.q.group, p.out.group)
    fact.equal(#p.kernels.groups, 3)
  end
end)

fact.holds("both sides of a transformer share the kernels of linears and of attention that are alike", function()
  local p = plan_files.plans(read("transformer_40_2"), { "avx512" })[1]
  fact.equal(p.encoder.kernels, p.decoder.kernels)
  fact.equal(p.encoder.product.up.group, p.decoder.product.up.group)
  fact.equal(p.encoder.attention.project_of.q.group, p.encoder.product.out.group)
  fact.equal(p.encoder.attention.score.group, p.decoder.attention.score.group)
  assert(p.decoder.attention.value.group ~= p.decoder.memory.value.group, "their rows see other ranges of keys")
end)

fact.holds("no two files of kernels are the same but for names", function()
  for _, name in ipairs(MODELS) do
    local seen = {}
    for _, file in ipairs(emit.files(read(name), SETS)) do
      local body = file.path:find("_gemm_") and file.text:match("clang%-format off(.*)")
      if body then
        body = body:gsub("void [%w_]+", "void"):gsub("#include [^\n]*", file.path:match("__([%l%d]+)"))
        assert(not seen[body], ("%s: %s is %s"):format(name, file.path, seen[body] or ""))
        seen[body] = file.path
      end
    end
  end
end)

-- Gives a model the least and the greatest candidate of each tuning parameter in turns.
local function tune(s, set)
  s.wisdom = {}
  for _, p in ipairs(plan_files.plans(s, { set })) do
    local values = {}
    for i, parameter in ipairs(p.kernels.tuning.list) do
      values[parameter.name] = parameter.candidates[i % 2 == 0 and 1 or #parameter.candidates]
    end
    s.wisdom[p.isa.name] = values
  end
end

fact.holds("a file has no two functions of one name if products that share kernels are tuned differently", function()
  local s, count = read("any_32_pool"), 0
  tune(s, "avx512")
  for _, file in ipairs(emit.files(s, { "avx512" })) do
    local seen = {}
    for name in file.text:gmatch("\nstatic inline [^\n(]-([%w_]+)%(") do
      assert(not seen[name], file.path .. ": " .. name)
      seen[name], count = true, count + 1
    end
  end
  assert(count > 0)
end)

-- Models with variants of sets that refine another: of each arithmetic, of attention, of weights in groups.
local REFINED = { "int8_320_encoder", "attention_int8_64_2", "any_32_pool", "attention_bf16_48_decoder",
  "int8_x_int4_42", "attention_i16_g32_40_4" }

local BASES = { "avx512", "avx2", "neon" } -- the sets that others refine

-- The files of a spec if no set takes kernels of another.
local function unshared(s)
  local new = kernels.new
  kernels.new = function(model, set, wisdom, base, passes)
    local all = new(model, set, wisdom, nil, base and base.passes or passes)
    all.has_own = true
    return all
  end
  local is_made, files = pcall(emit.files, s, BASES)
  kernels.new = new
  return assert(is_made and files, files)
end

-- What C defines in a text, by name: functions, or what the preprocessor does.
local function functions_of(text)
  local list = {}
  for name, body in text:gmatch("\nstatic inline [^\n]-([%w_]+)(%b()\n{.-\n})") do list[name] = body end
  for name, body in text:gmatch("\n#define ([%w_]+)(%b()[^\n]*)") do list[name] = body end
  return list
end

-- Of files, by path: the code of each kernel by its name, without the set's; and of headers, what they define.
local function code_of(files)
  local code, defined = {}, {}
  for _, file in ipairs(files) do
    code[file.path], defined[file.path] = {}, functions_of(file.text)
    for name, body in file.text:gmatch("\nvoid ([%w_]+_%d+x[%dx]+[_p%d]*)__[%w_]+(%(\n.-\n})") do
      code[file.path][name] = body:gsub("tiles <= %d+", "tiles") -- what GA_ASSERT allows is the most of all users
    end
  end
  return code, defined
end

-- Fails where kernels of one file are not those of another, or call what headers define otherwise.
local function check_same(own, shared, own_functions, shared_functions, path)
  for kernel, body in pairs(own) do
    assert(shared[kernel] == body, path .. ": " .. kernel)
    for word in body:gmatch("[%w_]+") do
      assert(own_functions[word] == shared_functions[word], path .. ": " .. word)
    end
  end
end

fact.holds("a set that refines another takes its kernels if they and what they call are the same code", function()
  local taken, own = 0, 0
  for _, name in ipairs(REFINED) do
    local s = read(name)
    local alone, functions_alone = code_of(unshared(s))
    local code, functions = code_of(emit.files(s, BASES))
    for path, kernels_alone in pairs(alone) do
      local set = path:match("__([%l%d]+)_")
      local base = set and isa.base_of(set)
      if base and next(kernels_alone) and not code[path] then
        local function of_base(file) return (file:gsub("__" .. set, "__" .. base)) end
        local header = name .. "__" .. set .. "_kernels.h"
        check_same(kernels_alone, code[of_base(path)], functions_alone[header], functions[of_base(header)], path)
        taken = taken + 1
      end
      own = own + (base and code[path] and next(kernels_alone) and 1 or 0)
    end
  end
  assert(taken > 0 and own > 0)
end)

fact.holds("a set that refines another has no variant of a model for which it has no kernels of its own", function()
  local function sets_of(fields)
    local sets = {}
    for i, p in ipairs(plan_files.plans(assert(spec.from_fields(fields)), { "avx512" })) do sets[i] = p.isa.name end
    return sets
  end
  fact.lists_equal(sets_of({ d_model = 128, n_heads = 2, dtype = "int8" }), { "avx512amx", "avx512" })
  fact.lists_equal(sets_of({ d_model = 36, n_heads = 2, dtype = "int8" }), { "avx512" }) -- no whole matrices
end)

fact.finish()
