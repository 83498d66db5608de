-- dump_test.lua: the printed plan says what the plan holds, in the same bytes under every Lua.
local fact = dofile("tests/generator/fact.lua")
local shapes = dofile("tests/generator/shapes.lua")
local compat = require "base.compat"
local dump = require "plan.dump"
local isa = require "isa"
local plan = require "plan"
local spec = require "spec"

local function dump_of(fields, set)
  return dump(plan.make(assert(spec.from_fields(fields)), isa.get(set)))
end

fact.holds("every family, packed part and buffer has its line", function()
  shapes.each_isa(function(s, set)
    local p = plan.make(s, set)
    local text = dump(p)
    for _, family in ipairs(p.families) do
      fact.contains(text, ("\n  %-10s %-6s "):format(family.op, ("%dx%d"):format(family.mr, family.nv * set.width)))
      fact.contains(text, (", %d kernels, "):format(#family.kernels))
      fact.contains(text, family.why)
    end
    for _, part in ipairs(p.packed) do fact.contains(text, ("\n  %-10s at "):format(part.name)) end
    for _, buffer in ipairs(p.buffers) do fact.contains(text, ("\n  %-10s "):format(buffer.name)) end
  end)
end)

fact.holds("the text ends in an empty line, so that several stand apart", function()
  shapes.each_isa(function(s, set)
    local text = dump(plan.make(s, set))
    assert(text:sub(-2) == "\n\n" and text:sub(-3) ~= "\n\n\n")
    assert(not text:find("nan") and not text:find("inf"), text)
  end)
end)

fact.holds("work is counted in multiply-adds of two flops, by hand for one shape", function()
  local text = dump_of({ d_model = 8, n_heads = 2, seq_len = 10, mask = { lengths = false } }, "scalar")
  fact.contains(text, "work for batch 1, 10 queries, 10 keys: 8,320 flops\n")
  fact.contains(text, "  project q    1,280 flops, 15.4 %\n")
  fact.contains(text, "  project k, v 2,560 flops, 30.8 %\n")
  fact.contains(text, "  scores       1,600 flops, 19.2 %\n")
  fact.contains(text, "  values       1,600 flops, 19.2 %\n")
  fact.contains(text, "  project out  1,280 flops, 15.4 %\n")
end)

fact.holds("bytes are those of the packed weights, input and output, by hand for one shape", function()
  local text = dump_of({ d_model = 8, n_heads = 2, seq_len = 10, mask = { lengths = false } }, "scalar")
  -- Four linears of 8 x 8, 256 bytes each, and biases of 8: those of three together, 96 bytes, take two lines of 64.
  fact.contains(text, "packed weights, 1,216 bytes\n")
  fact.contains(text, "  o              at 896, 256 bytes of f32\n  o_bias         at 1,152, 32 bytes of f32\n")
  fact.contains(text, "bytes moved at least once (weights, input, output): 1,856, 4.5 flops a byte\n")
end)

fact.holds("of a whole model the plan beside its layers' attention comes first, then that of each attention", function()
  local s = assert(spec.from_fields({ kind = "decoder", name = "two", d_model = 8, n_heads = 2, n_layers = 3 }))
  local text, plans = dump(require("plan.stack").make(s, isa.get("avx2"))), {}
  for name in text:gmatch("plan ([%w_]+) for") do plans[#plans + 1] = name end
  fact.lists_equal(plans, { "two", "two_self", "two_memory" })
  fact.contains(text, "plan two for avx2: 3 layers, d_model 8, d_ff 32\n")
  s = assert(spec.from_fields({ kind = "encoder", d_model = 8, n_layers = 0, pool = { kind = "cls" } }))
  fact.contains(dump(require("plan.stack").make(s, isa.get("avx2"))), "over the steps of a layer: from first to last\n")
end)

fact.holds("the operations and tensors of a whole model have their lines, with steps and lifetimes", function()
  local s = assert(spec.from_fields({ kind = "decoder", d_model = 8, n_heads = 2, n_layers = 3 }))
  local text = dump(require("plan.stack").make(s, isa.get("avx2")))
  for _, line in ipairs({
    "operations, over the steps of a layer: attention; joining; attention to memory; joining and feed-forward",
    "  first rows           query -> x: copy", "  2     out            heads -> y: linear; o_weight, o_bias",
    "  4     up             x -> mid: linear, relu; up_weight, up_bias", "  last  output         x -> output: copy",
    "  query             f32 [batch][q_len][d_model], given by the call",
    "  heads             f32 [rows][heads], 8 floats a row, steps 1 to 4",
    "  y                 f32 [block][d_model], 8 floats a row, steps 2, 4",
    "  mid               f32 [block][mid], 32 floats a row, step 4",
  }) do
    fact.contains(text, "\n" .. line .. "\n")
  end
end)

fact.holds("the causal mask is mentioned where there is one", function()
  fact.contains(dump_of({ d_model = 8, n_heads = 2, mask = { causal = true } }, "avx2"),
    "flops (without what the causal mask leaves out)\n")
end)

fact.holds("key heads, vocabulary and vectors show", function()
  local text = dump_of({ d_model = 20, n_heads = 4, n_kv_heads = 2, vocab_size = 1000 }, "avx2")
  fact.contains(text, "plan mha_20_4 for avx2: d_model 20, 4 heads of 5 (padded to 8), 2 key heads\n")
  fact.contains(text, "  embedding      at ")
  fact.contains(text, ", 80,000 bytes of f32\n")
end)

fact.holds("both Luas print the same bytes", function()
  for _, path in ipairs({ "specs/demo.lua", "tests/specs/odd_33_3.lua", "tests/golden/tiny_tokens.lua" }) do
    local first
    for _, lua in ipairs({ "lua5.4", "luajit" }) do
      local output, code = compat.capture(("%s generator/main.lua --spec %s --dump-plan"):format(lua, path))
      if code == 127 then
        print("skipped: no " .. lua)
      else
        fact.equal(code, 0)
        first = first or output
        fact.equal(output, first)
      end
    end
  end
end)

fact.finish()
