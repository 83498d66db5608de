-- configure_usage_test.lua: each option of ./configure used wrongly: what it says names the option, what was found and
-- what was expected. Runs no configure: configure_test.lua does.
local fact = dofile("tests/generator/fact.lua")
local formats = require "formats"
local isa = require "isa"
local modifiers = require "attention.modifiers"
local options = require "build.options"
local spec = require "spec"
local text = require "base.text"

local FIELDS = spec.options()

local function parse(args)
  return options.parse(args, FIELDS, isa.names(), function() return nil end)
end

-- The arguments are refused with this message, and more where more is given.
local function refuses(args, ...)
  local settings, errors = parse(args)
  fact.equal(settings, nil)
  fact.lists_equal(errors, { ... })
end

-- -- One by one -----------------------------------------------------------------------------------------------------

local COUNT = "must be a whole number from %d to %d, found %s"

local function count(low, high, found)
  return COUNT:format(low, high, found)
end

local ONE_OF = "must be one of %s, found %s"
local DTYPES = 'must be a dtype, and after it NAME=DTYPE for those that have another, each once, found "%s"'

-- A flag, a value that it does not take, and what is said after the flag; of an alias also the flag that is named.
local WRONG = {
  { "--prefix", "usr", "must be an absolute path, found 'usr'" },
  { "--bindir", "bin", "must be an absolute path, found 'bin'" },
  { "--libdir", "./lib", "must be an absolute path, found './lib'" },
  { "--mandir", "man", "must be an absolute path, found 'man'" },
  { "--datadir", "share", "must be an absolute path, found 'share'" },
  { "--includedir", "~/include", "must be an absolute path, found '~/include'" },
  { "--kind", "bert", ONE_OF:format("mha, sdpa, encoder, decoder, transformer", '"bert"') },
  { "--name", "3x", 'must be small letters, digits and _, a letter first, at most 96, found "3x"' },
  { "--name", "int", '"int" is taken: a C or C++ keyword, main, or the runtime\'s prefix ga_' },
  { "--d-model", "wide", count(1, 65536, '"wide"') },
  { "--d-model", "0", count(1, 65536, "0") },
  { "--heads", "-3", count(1, 1024, "-3") },
  { "--d-head", "5.5", count(1, 1024, "5.5") },
  { "--seq-len", "5..2", 'must be a length like 128 or a range like "1..512" (at most 65536), found "5..2"' },
  { "--kv-seq-len", "0", count(1, 65536, "0") },
  { "--batch", "any", count(1, 65536, '"any"') },
  { "--unroll", "9", count(1, 8, "9") },
  { "--dtype", "int9", ONE_OF:format("f32, bf16, i16, int8, any", '"int9"; did you mean "int8"') },
  { "--dtype", "int8,o=i17", 'field o must be one of f32, bf16, i16, int8, found "i17"; did you mean "i16"?' },
  { "--dtype", "int8,logits=i17",
    'field logits must be one of f32, bf16, i16, int8, found "i17"; did you mean "i16"?' },
  { "--dtype", "o=i16,o=int8", DTYPES:format("o=i16,o=int8") },
  { "--dtype", "int8,", DTYPES:format("int8,") },
  { "--dtype", ",int8", DTYPES:format(",int8") },
  { "--dtype", "int8,,down=i16", DTYPES:format("int8,,down=i16") },
  { "--dtype", "int8,down=", DTYPES:format("int8,down=") },
  { "--matmul", "fats", ONE_OF:format("exact, fast, fast:2", '"fats"; did you mean "fast"?') },
  { "--weights-dtype", "f31", ONE_OF:format(table.concat(formats.weights(), ", "), '"f31"') },
  { "--layers", "513", count(0, 512, "513") },
  { "--layer-attention", "on", 'must be yes or no, found "on"' },
  { "--layer-residual", "1", 'must be yes or no, found "1"' },
  { "--layer-parallel", "1", 'must be yes or no, found "1"' },
  { "--sublayer", "both", 'must be yes or no, found "both"' },
  { "--decoder-layers", "x", count(1, 512, '"x"') },
  { "--src-vocab-size", "0", count(1, 16777216, "0") },
  { "--positions", "sinus", ONE_OF:format("learned, sinusoidal", '"sinus"') },
  { "--positions-rows", "0", count(1, 1048576, "0") },
  { "--positions-first", "-1", count(0, 65536, "-1") },
  { "--positions-padding", "-1", count(0, 16777215, "-1") },
  { "--token-types", "0", count(1, 65536, "0") },
  { "--embedding-scale", "x", 'must be yes or no, found "x"' },
  { "--embedding-scale", "0", "must be true, false or a number from 1e-06 to 1e+06, found 0" },
  { "--layer-residual-scale", "0", "must be a number from 1e-06 to 1e+06, found 0" },
  { "--logits-softcap", "0", "must be a number from 0.001 to 1e+06, found 0" },
  { "--logits-scale", "0", "must be a number from 1e-06 to 1e+06, found 0" },
  { "--embedding-norm", "x", 'must be yes or no, found "x"' },
  { "--norm", "batch", ONE_OF:format("layer, rms, none", '"batch"') },
  { "--norm-eps", "2", "must be a number from 0 to 1, found 2" },
  { "--norm-place", "mid", ONE_OF:format("post, pre, result, sandwich", '"mid"') },
  { "--norm-final", "x", 'must be yes or no, found "x"' },
  { "--norm-bias", "x", 'must be yes or no, found "x"' },
  { "--norm-unit-offset", "x", 'must be yes or no, found "x"' },
  { "--norm-skips-first", "x", 'must be yes or no, found "x"' },
  { "--logits-transform-bias", "x", 'must be yes or no, found "x"' },
  { "--classifier-dense-bias", "x", 'must be yes or no, found "x"' },
  { "--classifier-norm", "x", 'must be yes or no, found "x"' },
  { "--d-ff", "0", count(1, 262144, "0") },
  { "--ffn-activation", "geluu", ONE_OF:format("relu, gelu, gelu_tanh, silu, tanh", '"geluu"; did you mean "gelu"?') },
  { "--ffn-gated", "x", 'must be yes or no, found "x"' },
  { "--ffn-fused", "x", 'must be yes or no, found "x"' },
  { "--ffn-bias", "x", 'must be yes or no, found "x"' },
  { "--ffn-down-bias", "x", 'must be yes or no, found "x"' },
  { "--ffn-adapter-rank", "0", count(1, 65536, "0") },
  { "--ffn-adapter-scale", "0", "must be a number from 1e-06 to 1e+06, found 0" },
  { "--pool", "max", ONE_OF:format("cls, last, mean, weighted_mean", '"max"') },
  { "--pool-size", "0", count(1, 65536, "0") },
  { "--pool-normalize", "x", 'must be yes or no, found "x"' },
  { "--dense-sizes", "0", count(1, 65536, "0") }, { "--dense-bias", "x", 'must be yes or no, found "x"' },
  { "--dense-activation", "silu", ONE_OF:format("none, tanh, relu, gelu", '"silu"') },
  { "--pool-similarity", "sine", ONE_OF:format("cosine, dot, euclidean, manhattan", '"sine"') },
  { "--logits", "x", ONE_OF:format("linear, softmax, log_softmax, unit", '"x"') },
  { "--logits-size", "0", count(1, 1048576, "0") },
  { "--logits-tied", "x", 'must be yes or no, found "x"' },
  { "--logits-bias", "x", 'must be yes or no, found "x"' },
  { "--logits-transform", "swish", "must be" },
  { "--kv-heads", "0", count(1, 1024, "0") },
  { "--projections", "q", ONE_OF:format("qkvo, qkv", '"q"') },
  { "--heads-as", "x", ONE_OF:format("split, shared", '"x"') },
  { "--d-v", "0", count(1, 65536, "0") },
  { "--k-dim", "0", count(1, 65536, "0") },
  { "--v-dim", "0", count(1, 65536, "0") },
  { "--d-out", "0", count(1, 65536, "0") },
  { "--bias", "x", 'must be all, none or some of q,k,v,o, each once, found "x"' },
  { "--bias", "q,q", 'must be all, none or some of q,k,v,o, each once, found "q,q"' },
  { "--scale", "0", 'must be "d_head" (1/sqrt(d_head)), "d_model" or a number from 1e-06 to 1e+06, found 0' },
  { "--causal", "left", 'must be top_left, bottom_right or off, found "left"' },
  { "--softcap", "x", 'must be a number from 0.001 to 1e+06, found "x"' },
  { "--softcap", "0", "must be above 0, found 0: scores are squeezed to -softcap .. softcap" },
  { "--alibi", "maybe", 'must be yes or no, found "maybe"' },
  { "--relative-buckets", "0", count(2, 4096, "0") },
  { "--relative-distance", "0", count(2, 65536, "0") },
  { "--relative-bidirectional", "x", 'must be yes or no, found "x"' },
  { "--window", "0", count(1, 65536, "0") },
  { "--window-sides", "right", ONE_OF:format("left, both", '"right"') },
  { "--sinks", "x", 'must be yes or no, found "x"' },
  { "--lengths", "x", 'must be yes or no, found "x"' },
  { "--mask-memory", "x", ONE_OF:format("bool, additive", '"x"') },
  { "--mask-tensor", "x", ONE_OF:format("bool, additive", '"x"') },
  { "--mask-fill", "inf", 'must be "-inf" or a finite number that replaces a masked score, found "inf"' },
  { "--masked-row", "x", ONE_OF:format("zero, uniform", '"x"') },
  { "--activation", "z=relu", 'has only the fields q, k, v and o, found "z"' },
  { "--qk-norm", "x", ONE_OF:format("rms, layer", '"x"') },
  { "--qk-norm-eps", "-1", "must be a number from 0 to 1, found -1" },
  { "--rope", "x", ONE_OF:format("half_split, interleaved", '"x"') },
  { "--rope-theta", "0", "must be a number from 1 to 1e+12, found 0" },
  { "--rope-dim", "0", count(2, 1024, "0") },
  { "--rope-positions", "0", count(1, 16777216, "0") },
  { "--rope-scaling", "ntk", ONE_OF:format("linear, dynamic, yarn, longrope, llama3", '"ntk"') },
  { "--rope-factor", "0.5", "must be a number from 1 to 1e+06, found 0.5" },
  { "--rope-original", "1", count(2, 16777216, "1") },
  { "--dropout", "2", "must be a number from 0 to 1, found 2" },
  { "--outputs", "attention,attention", 'names "attention" twice' },
  { "--add-bias-kv", "x", 'must be yes or no, found "x"' },
  { "--add-zero-attn", "x", 'must be yes or no, found "x"' },
  { "--cache", "0", count(1, 65536, "0") },
  { "--cache-dtype", "f31", ONE_OF:format(table.concat(formats.rows(), ", "), '"f31"; did you mean "f32"') },
  { "--vocab-size", "0", count(1, 16777216, "0") },
  { "--weights-layout", "llama2", "must name a map that ships (" },
  { "--weights-map", "llama2", "must name a map that ships (", "--weights-layout" },
  { "--weights-prefix", "a b", "must be the start of a tensor's name (letters, digits and _ . / -, at most 100)" },
  { "--isa", "avx2,avx2", "names avx2 twice" },
  { "--isa", "avx2vnni", "names avx2vnni, which is made with avx2 where a model gains by it" },
  { "--tokenizer-hash", "0123456789ABCDEF", "must be" },
  { "--text-pair", "{query}", "must be a string with `{query}` and then `{document}`" },
  { "--classifier-labels", "0", "must be" },
  { "--classifier-activation", "swish", "must be" },
  { "--classifier-scores", "tanh", "must be" },
}

for _, row in ipairs(WRONG) do
  fact.holds(("%s %s is refused by name"):format(row[1], row[2]), function()
    local settings, errors = parse({ row[1] .. "=" .. row[2] })
    fact.equal(settings, nil)
    fact.equal(#errors, 1)
    local said = (row[4] or row[1]) .. " " .. row[3]
    fact.equal(errors[1]:sub(1, #said), said)
  end)
end

-- A flag of a score modifier that is not above: what it says of a word that it cannot be begins with its name.
local listed = {}
for _, row in ipairs(WRONG) do listed[row[1]] = true end
for _, modifier in ipairs(modifiers) do
  for _, field in ipairs(modifier.fields) do
    if not listed[field.flag] then
      listed[field.flag] = true
      fact.holds(field.flag .. " is refused by name where it is nonsense", function()
        local settings, errors = parse({ field.flag .. "=*/ nonsense" })
        fact.equal(settings, nil)
        fact.equal(#errors, 1)
        fact.equal(errors[1]:sub(1, #field.flag + 6), field.flag .. " must ")
        fact.contains(errors[1], 'found "*/ nonsense"')
      end)
    end
  end
end

-- -- What all have in common ----------------------------------------------------------------------------------------

-- The flags of --help that take a value, in order: those with a word in one blank's distance.
local function valued_flags()
  local list = {}
  for line in options.help(FIELDS):gmatch("[^\n]+") do
    list[#list + 1] = line:match("^ +(%-%-[%w-]+) %S")
  end
  return list
end

-- Options whose values are read later, or that may be given more than once.
local LATER = { ["--spec"] = true, ["--from-hf"] = true, ["--from-gguf"] = true,
  ["--hf-architecture"] = true, ["--hf-ignore"] = true, ["--runner"] = true,
  ["--wisdom"] = true, ["--wisdom-cpu"] = true }
local OFTEN = { ["--spec"] = true, ["--from-hf"] = true, ["--from-gguf"] = true, ["--hf-ignore"] = true,
  ["--prefix"] = true, ["--bindir"] = true, ["--libdir"] = true, ["--includedir"] = true, ["--mandir"] = true,
  ["--datadir"] = true }

fact.holds("every option that takes a value is in the table above, or a modifier's", function()
  local n = 0
  for _, flag in ipairs(valued_flags()) do
    if not listed[flag] and not LATER[flag] then error(flag .. " is not") end
    n = n + 1
  end
  assert(n > 60, n)
end)

for _, row in ipairs(spec.options()) do
  if row.value and not row.implied then
    fact.holds(row.flag .. " without a value, with none, and twice says so", function()
      local words = ("%s needs a value: %s %s"):format(row.flag, row.flag, row.value)
      refuses({ row.flag }, words)
      refuses({ row.flag .. "=" }, words)
      refuses({ row.flag, "1", row.flag, "2" }, row.flag .. " is given twice; give it once")
    end)
  end
end

fact.holds("options that are not of a model need values too", function()
  for _, flag in ipairs({ "--prefix", "--bindir", "--libdir", "--includedir", "--mandir", "--datadir", "--spec",
    "--from-hf", "--from-gguf", "--hf-architecture", "--hf-ignore", "--isa", "--wisdom", "--wisdom-cpu" }) do
    local _, errors = parse({ flag })
    fact.contains(errors[1], ("%s needs a value: %s "):format(flag, flag))
    _, errors = parse({ flag .. "=" })
    fact.contains(errors[1], ("%s needs a value: %s "):format(flag, flag))
    local settings
    settings, errors = parse({ flag, "/a", flag, "/b" })
    if not OFTEN[flag] then fact.lists_equal(errors, { flag .. " is given twice; give it once" }) end
    assert(not OFTEN[flag] or settings or errors[1]:find("needs --from-hf", 1, true), flag)
  end
  fact.equal(parse({ "--prefix", "/a", "--prefix", "/b" }).prefix, "/b")
end)

fact.holds("switches take no value", function()
  for _, flag in ipairs({ "--help", "--version", "--quiet", "--install-deps", "--verbose", "--enable-debug",
    "--enable-sanitize", "--enable-werror" }) do
    refuses({ flag .. "=3" }, ("%s takes no value, found '%s=3'"):format(flag, flag))
  end
end)

fact.holds("all that is wrong with flags is said at once", function()
  refuses({ "--heads", "0", "--causal=left" }, "--heads must be a whole number from 1 to 1024, found 0",
    '--causal must be top_left, bottom_right or off, found "left"')
end)

fact.holds("what contradicts itself is told with what to do", function()
  refuses({ "--spec", "a.lua", "--d-model", "8" }, "--d-model cannot be combined with --spec; say it in a.lua")
  refuses({ "--hf-ignore", "x" }, "--hf-ignore needs --from-hf or --from-gguf, and neither is given")
  refuses({ "--hf-architecture", "x" }, "--hf-architecture needs --from-hf, which is not given")
  refuses({ "--wisdom-cpu", "x", "--wisdom", "none" },
    "--wisdom-cpu and --wisdom none are both given; expected one of them")
  refuses({ "--quiet", "--verbose" }, "--quiet and --verbose are both given; expected one of them")
  refuses({ "--weights-map", "w_o", "--weights-layout", "w_o" }, "--weights-layout is given twice; give it once")
end)

fact.holds("words that are no options are told from variables", function()
  refuses({ "CFLAGS" }, "unexpected argument 'CFLAGS'; a variable is given as CFLAGS=VALUE")
  refuses({ "16" }, "unexpected argument '16'; see --help")
  refuses({ "" }, "unexpected argument ''; see --help")
  refuses({ "CLFAGS=-g" }, "unknown variable 'CLFAGS'; did you mean CFLAGS?")
end)

fact.holds("the opposite of a switch is what is so without it", function()
  local settings = parse({ "--disable-debug" })
  fact.lists_equal(settings.warnings, { "'--disable-debug' is ignored: that is so without --enable-debug" })
  fact.equal(text.join(parse({ "--enable-debu" }).warnings),
    "'--enable-debu' is ignored: there is no such option; did you mean --enable-debug?")
end)

fact.finish()
