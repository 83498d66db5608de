-- neon_test.lua: what only NEON's table promises: multiply-adds that are fused, the larger of two as the other sets
-- have it, tails without masks. The facts of its kernels run in an emulator (ninja check-all).
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local isa = require "isa"
local kept = require "formats.vocabulary.kept"
local multiply = require "formats.vocabulary.multiplied"
local spec = require "spec"

local neon = isa.get("neon")

local function code()
  local texts = { neon.helpers }
  for _, name in ipairs({ "add_mask", "choose", "turn_pairs" }) do texts[#texts + 1] = neon.extras[name] end
  for _, operation in ipairs({ "add", "fmadd", "fmsub", "max", "mul", "sub" }) do
    texts[#texts + 1] = neon.spell[operation]
  end
  return table.concat(texts, "\n")
end

fact.holds("a CPU of AArch64 is asked for it, and compilers need no flag", function()
  fact.equal(neon.arch, "aarch64")
  fact.lists_equal(neon.cpu, { "ASIMD" })
  fact.equal(#neon.cflags, 0)
  fact.equal(neon.registers, 32)
end)

-- vmla and vmls may be a multiply and an add with two roundings.
fact.holds("multiply-adds are fused", function()
  assert(not code():find("vml[as]q?_"), "an unfused multiply-add")
  fact.equal(neon.V.fmadd("a", "b", "c"), "vec_fmadd(a, b, c)")
  fact.contains(neon.helpers, "return vfmaq_f32(c, a, b);")
  fact.contains(neon.helpers, "return vfmaq_f32(vnegq_f32(c), a, b);")
end)

-- vmax gives a NaN where the first argument is one.
fact.holds("the larger of two is the second where one is a NaN", function()
  assert(not code():find("vmaxq_f32", 1, true), "vmaxq_f32")
  fact.contains(neon.helpers, "return vbslq_f32(vcgtq_f32(a, b), a, b);")
end)

-- A sum of 32 bits takes each product whole: no intrinsic that saturates or keeps only a half.
fact.holds("integers are multiplied into sums of twice their bits, which no CPU of AArch64 lacks", function()
  local int16 = neon.products.int16
  fact.equal(int16.dot:format("sum", "a", "b"), "vmlal_s16(sum, a, b)")
  for _, name in ipairs({ "i16", "int8" }) do
    local X = multiply.vocabulary(name, neon)
    fact.equal(X.vector .. " " .. X.sum .. " " .. X.unit, "int16x4_t int32x4_t 1")
    fact.lists_equal(multiply.needs(name, neon).cpu, {})
    fact.lists_equal(multiply.needs(name, neon).cflags, {})
  end
end)

-- bfdot and bfmmla round each sum of two products, and to odd.
fact.holds("CPUs of Armv8.6 multiply bf16 with one rounding a product", function()
  local set = multiply.variants({ "bf16" }, neon)[1]
  fact.equal(set.name, "neonv86")
  for name, product in pairs(set.refines.products) do
    assert(not product.helpers:find("\"bfdot") and not product.helpers:find("\"bfmmla"), name)
  end
  fact.contains(set.products.bf16.helpers, "bfmlalb %0.4s, %2.8h, %1.h[0]\\n\\tbfmlalt %0.4s, %2.8h, %1.h[1]")
  fact.equal(multiply.emulates({ "bf16" }, set), false)
end)

-- A byte with its sign bit would be a negative one.
fact.holds("CPUs that multiply signed bytes alone take rows less 128, and softmax weights in two parts", function()
  local set = multiply.variants({ "int8" }, neon)[2]
  local X = multiply.vocabulary("int8", set)
  fact.equal(set.name .. " " .. X.middle .. " " .. X.row.type, "neonv84 128 int8_t")
  fact.equal(X.splat("a"), "first_lane(&a)")
  fact.equal(X.weights.splat("a") .. " " .. X.weights.dot("a", "b", "sum"), "parts_of(&a) add_parts(sum, a, b)")
  local W = multiply.vocabulary("int8", multiply.variants({ "int8" }, neon)[1]).weights
  fact.equal(W.splat("a") .. " " .. W.dot("a", "b", "sum"), "first_lane(&a) add_fours(sum, a, b)")
end)

-- The kernels of products of that dtype, on a variant: by heights, whether one multiplies pairs of rows.
local function heights_of_pairs(variant)
  local s = assert(spec.from_fields({ d_model = 64, n_heads = 1, seq_len = "1..7", dtype = "int8" }, "neon"))
  local heights = {}
  for _, file in ipairs(emit.files(s, { "neon" })) do
    if file.path:find("__" .. variant .. "_int8_gemm", 1, true) then
      for height, body in file.text:gmatch("\nvoid [%w_]-_(%d+)x[%w_]+%(.-%)(.-)\n}\n") do
        heights[tonumber(height)] = body:find("add_pairs(", 1, true) ~= nil
      end
    end
  end
  return heights
end

fact.holds("CPUs of Armv8.6 multiply pairs of rows from four rows on, others none", function()
  for variant, least in pairs({ neonv86 = 4, neonv84 = 100 }) do
    local heights = heights_of_pairs(variant)
    fact.equal(#heights, 12)
    for height, has in ipairs(heights) do fact.equal(has, height >= least) end
  end
end)

fact.holds("weights in groups are multiplied four at a time by one lane, less 128 where both have a sign", function()
  for name, bias in pairs({ neonv84 = 0, neonv86 = 128 }) do
    for _, set in ipairs(multiply.variants({}, neon, "int8")) do
      if set.name == name then fact.equal(kept.vocabulary("int8_g32", set).digits.bias, bias) end
    end
  end
end)

fact.holds("a model's kernels include its header and name their instruction set", function()
  local s = assert(spec.from_fields({ d_model = 24, n_heads = 3, seq_len = "1..7" }, "neon"))
  local header, kernels = false, 0
  for _, file in ipairs(emit.files(s, { "neon", "scalar" })) do
    header = header or file.path:find("__neon_kernels.h", 1, true) and file.text:find("#include <arm_neon.h>", 1, true)
    kernels = kernels + (file.path:find("__neon_", 1, true) and file.text:find("vec_fmadd(", 1, true) and 1 or 0)
  end
  assert(header, "no file includes arm_neon.h")
  assert(kernels > 0, "no kernel multiplies")
end)

fact.finish()
