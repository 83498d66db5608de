-- configure_summary_test.lua: what configure says where all is well: its version, its summary, and with --quiet
-- nothing. What it writes is configure_test.lua's part.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local spec = require "spec"
local summary = require "build.summary"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_summary")

fact.link_source(folder)

-- Runs configure with sh words; returns what it said, and its exit code.
local function configure(words)
  return compat.capture(("cd %s && LUA=%s ./configure %s"):format(folder, lua, words))
end

fact.holds("--version is the programs' version, and nothing is written for it", function()
  local said, code = configure("--version")
  fact.equal(said, "genattn " .. fs.read("program/commands/program.h"):match('GA_VERSION "([^"]+)"') .. "\n")
  fact.equal(code, 0)
  fact.equal(configure("-V"), said)
end)

fact.holds("--quiet says what is wrong, and nothing else", function()
  fact.equal(configure("-q --isa scalar --d-model 8 --heads 2 --enable-nls"),
    "./configure: warning: '--enable-nls' is ignored: there is no such option\n")
  local said, code = configure("--quiet --d-model 8 --heads 3")
  fact.contains(said, "./configure: ")
  fact.equal(code, 1)
end)

fact.holds("the summary says of a whole model its kind, layers, pooling and formats of numbers", function()
  for path, expected in pairs({
    ["specs/minilm.lua"] = "minilm: encoder, 6 layers, d_model 384, 12 heads of 32, seq_len 1..256, pool mean; " ..
      "linears f32, attention f32",
    ["specs/gpt2.lua"] = "gpt2: causal encoder, 12 layers, d_model 768, 12 heads of 64, seq_len 1..1024, " ..
      "cache 1024, pool none, logits; linears f32, attention f32",
    ["tests/specs/any_36_classifier.lua"] = "any_36_classifier: encoder, 1 layer, d_model 36, 3 heads of 12, " ..
      "seq_len 1..24, pool cls, 1 label, logits; linears any that a call chooses, attention int8",
    ["tests/specs/int4_40_decoder.lua"] = "cache 60, pool none, logits; linears f32, attention f32, weights int4",
    ["tests/specs/no_norm_36_3.lua"] = "no_norm_36_3: decoder, 2 layers, ",
    ["tests/specs/attention_i16_g32_40_4.lua"] = "seq_len 1..30; attention i16, weights int8",
    ["tests/specs/int8_39_3.lua"] = "; linears int8, attention f32",
  }) do
    fact.contains(summary.text({}, { configured = { { spec = assert(spec.read(path)) } } },
      { isas = {}, built = {}, features = {} }), expected)
  end
end)

fact.finish()
