-- spec_test.lua: what a spec may say, what is wrong with one that may not.
local fact = dofile("tests/generator/fact.lua")
local fs = require "base.fs"
local maps = require "import.maps"
local spec = require "spec"

local folder = fact.folder("spec")

-- A good spec with `more` on top; a field given as nil_field is left out.
local NONE = {}

local function fields_with(more)
  local fields = { d_model = 8, n_heads = 2 }
  for key, value in pairs(more) do
    if value == NONE then fields[key] = nil else fields[key] = value end
  end
  return fields
end

local function accepts(more)
  local s, errors = spec.from_fields(fields_with(more))
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

-- The spec has just these errors, in this order.
local function refuses(more, ...)
  local s, errors = spec.from_fields(fields_with(more))
  fact.equal(s, nil)
  fact.lists_equal(errors, { ... })
end

-- -- Types ----------------------------------------------------------------------------------------------------------

local COUNTS = {
  d_model = 65536, n_heads = 1024, d_head = 1024, batch = 65536, unroll = 8, n_kv_heads = 1024, vocab_size = 16777216,
}

fact.holds("a count is a whole number in its range", function()
  for field, max in pairs(COUNTS) do
    local rule = ("%s must be a whole number from 1 to %d, found "):format(field, max)
    local cases = {
      { 0, "0" }, { -1, "-1" }, { -0.0, "0" }, { 2.5, "2.5" }, { max + 1, ("%d"):format(max + 1) },
      { 2 ^ 53, "9007199254740992" }, { 1 / 0, "inf" }, { 0 / 0, "not a number" }, { "8", '"8"' },
      { true, "true" }, { {}, "a table" },
    }
    for _, case in ipairs(cases) do
      -- A zero may carry a sign that one Lua prints and another does not.
      local _, errors = spec.from_fields(fields_with({ [field] = case[1] }))
      fact.equal((errors[1]:gsub("found %-0$", "found 0")), rule .. case[2])
    end
  end
end)

fact.holds("a length is a number or a range", function()
  local rule = 'must be a length like 128 or a range like "1..512" (at most 65536), found '
  for _, field in ipairs({ "seq_len", "kv_seq_len" }) do
    for _, bad in ipairs({ "", "x", "5..3", "0..3", "1..65537", "1...5", " 5", "5 ", "0x10", "1e2", "-1", "1..", "..5",
      "1..5..9", "99999999999999999999" }) do
      refuses({ [field] = bad }, ('%s %s"%s"'):format(field, rule, bad))
    end
    refuses({ [field] = 0 }, field .. " must be a whole number from 1 to 65536, found 0")
    refuses({ [field] = {} }, field .. " must be a whole number from 1 to 65536, found a table")
  end
  local s = accepts({ seq_len = "3..7", kv_seq_len = "12" })
  assert(s.seq_len.min == 3 and s.seq_len.max == 7 and s.kv_seq_len.min == 12 and s.kv_seq_len.max == 12)
end)

fact.holds("a name is lower case, short, and no one else's", function()
  local rule = "name must be small letters, digits and _, a letter first, at most 96, found "
  for _, bad in ipairs({ "", "A", "1a", "_a", "a-b", "a.b", "a b", "../a", 'a"b', "a*/", "a??/", "a$b", "a:b" }) do
    refuses({ name = bad }, rule .. '"' .. bad .. '"')
  end
  refuses({ name = "a\nb" }, rule .. '"a?b"')
  refuses({ name = ("a"):rep(97) }, rule .. '"' .. ("a"):rep(64) .. '..."')
  accepts({ name = ("a"):rep(96) })
  refuses({ name = ("a"):rep(5000) }, rule .. '"' .. ("a"):rep(64) .. '..."')
  refuses({ name = 5 }, rule .. "5")
  for _, taken in ipairs({ "int", "restrict", "class", "xor_eq", "main", "ga", "ga_x" }) do
    refuses({ name = taken },
      ('name "%s" is taken: a C or C++ keyword, main, or the runtime\'s prefix ga_'):format(taken))
  end
  for _, taken in ipairs({ "string", "math", "features", "unistd", "emmintrin", "jansson", "model", "program" }) do
    refuses({ name = taken }, ('name "%s" is taken: %s.h is a header of C, of the system or of the runtime'):format(
      taken, taken))
  end
  for _, taken in ipairs({ "m", "c", "pthread" }) do
    local _, errors = spec.from_fields(fields_with({ name = taken }))
    fact.contains(errors[1], ('name "%s" is taken: '):format(taken))
  end
  for _, bad in ipairs({ "a__avx2", "a_" }) do
    refuses({ name = bad },
      ('name "%s" holds __ or ends in _, which part names from what the generator adds to them'):format(bad))
  end
  fact.equal(accepts({ name = ("a"):rep(40) }).name, ("a"):rep(40))
end)

fact.holds("no header that generated code includes can be shadowed by a model's", function()
  for path in require("base.compat").capture("find -L templates -name '*.lt' | sort"):gmatch("%S+") do
    for header in assert(fs.read(path)):gmatch('#include ["<]([%w_]+)%.h[">]') do
      fact.equal(spec.from_fields(fields_with({ name = header })), nil)
    end
  end
end)

fact.holds("a choice that is none of them is refused with the nearest", function()
  refuses({ kind = "mhaa" },
    'kind must be one of mha, sdpa, encoder, decoder, transformer, found "mhaa"; did you mean "mha"?')
  refuses({ dtype = 32 }, "dtype must be one of f32, bf16, i16, int8, any, found 32")
  refuses({ masked_row = false }, "masked_row must be one of zero, uniform, found false")
end)

fact.holds("a dtype is a word, or a table of words by linears that there are", function()
  local only = "dtype has only the fields default, q, k, v, o, up, down, attention, logits, classifier and " ..
    "embedding, found "
  refuses({ dtype = { "int8" } }, only .. "1")
  refuses({ dtype = { wq = "int8" } }, only .. '"wq"')
  refuses({ dtype = { gate = "int8" } }, 'dtype has no field gate: gate and up are one product, so give "up"')
  refuses({ dtype = { q = "int9" } },
    'dtype field q must be one of f32, bf16, i16, int8, found "int9"; did you mean "int8"?')
  refuses({ dtype = { attention = "int9" } },
    'dtype field attention must be one of f32, bf16, i16, int8, found "int9"; did you mean "int8"?')
  for _, name in ipairs({ "logits", "classifier" }) do
    refuses({ dtype = { [name] = "int8" } },
      ("dtype.%s is given, but the model has no such linear; it has q, k, v, o"):format(name))
  end
  refuses({ dtype = { down = "i16" } },
    "dtype.down is given, but the model has no such linear; it has q, k, v, o")
  refuses({ dtype = { o = "i16" }, projections = "qkv" },
    "dtype.o is given, but the model has no such linear; it has q, k, v")
  refuses({ dtype = { q = "i16" }, heads = "shared" },
    'dtype.q = "i16" is given, but linears whose weights all heads share multiply floats alone')
  refuses({ dtype = { q = "i16" }, weights_dtype = "bf16" },
    'dtype.q = "i16" is given, but weights_dtype = "bf16" is of linears that multiply floats')
  refuses({ dtype = { default = "int8", o = "bf16" }, weights_dtype = "int4" },
    'dtype.o = "bf16" is given, but weights_dtype = "int4" is of linears that multiply floats or int8')
  refuses({ dtype = "any", weights_dtype = "int8" },
    'dtype = "any" is given, but weights_dtype = "int8" is of linears that multiply floats or int8')
  refuses({ dtype = { q = "any" } }, 'dtype field q must be one of f32, bf16, i16, int8, found "any"')
  refuses({ dtype = "any", weights_dtype = "bf16" },
    'dtype = "any" is given, but weights_dtype = "bf16" is of linears that multiply floats')
  fact.lists_equal(accepts({ dtype = "any" }).choices_of.o, { "f32", "bf16", "i16", "int8" })
  local s = accepts({ dtype = { default = "int8", o = "i16" } })
  fact.equal(table.concat({ s.arithmetic_of.q, s.arithmetic_of.v, s.arithmetic_of.o }, " "), "int8 int8 i16")
  fact.lists_equal(s.arithmetics, { "i16", "int8" })
  fact.lists_equal(accepts({ dtype = { attention = "f32" } }).arithmetics, {})
  s = accepts({ dtype = { default = "int8", o = "f32" }, weights_dtype = "int4" })
  fact.equal(table.concat({ s.arithmetic_of.q, s.arithmetic_of.o, s.attends_in }, " "), "int8_g32 f32 f32")
end)

fact.holds("mask fields have their types", function()
  refuses({ mask = "causal" }, 'mask must be a table like { causal = ... }, found "causal"')
  refuses({ mask = true }, "mask must be a table like { causal = ... }, found true")
  refuses({ mask = { causal = "left" } },
    'mask.causal must be true, false, "top_left" or "bottom_right", found "left"')
  refuses({ mask = { causal = 1 } }, 'mask.causal must be true, false, "top_left" or "bottom_right", found 1')
  refuses({ mask = { lengths = "yes" } }, 'mask.lengths must be true or false, found "yes"')
  fact.equal(accepts({ mask = { causal = true } }).causal, "top_left")
  fact.equal(accepts({ mask = { causal = false, lengths = false } }).causal, false)
  fact.equal(accepts({}).lengths, true)
end)

fact.holds("a bias is all, none or some of four", function()
  refuses({ bias = "q" }, 'bias must be true, false or like { q=true, k=false }, found "q"')
  refuses({ bias = { q = 1 } }, "bias field q must be true or false, found 1")
  refuses({ bias = { q = true, w = true, z = 1 } }, 'bias has only the fields q, k, v and o, found "w", "z"')
  refuses({ bias = { true } }, "bias has only the fields q, k, v and o, found 1")
  local bias = accepts({ bias = { k = false } }).bias
  assert(bias.q and not bias.k and bias.v and bias.o)
end)

fact.holds("a scale is one of two rules or a sober number", function()
  local rule = 'scale must be "d_head" (1/sqrt(d_head)), "d_model" or a number from 1e-06 to 1e+06, found '
  for _, case in ipairs({ { "d_heads", '"d_heads"' }, { 0, "0" }, { -1, "-1" }, { 1 / 0, "inf" },
    { 0 / 0, "not a number" }, { 1e-7, "1e-07" }, { true, "true" } }) do
    refuses({ scale = case[1] }, rule .. case[2])
  end
  fact.equal(accepts({ scale = "d_model" }).scale_factor, 1 / math.sqrt(8))
  fact.equal(accepts({}).scale_factor, 1 / math.sqrt(4))
  fact.equal(accepts({ scale = 0.1 }).scale_factor, 0.1)
end)

fact.holds("outputs are a list of different names", function()
  refuses({ outputs = "attention" }, 'outputs must be a list like { "attention" }, found "attention"')
  refuses({ outputs = { attention = true } }, 'outputs must be a list like { "attention" }, without keys')
  refuses({ outputs = { "attention", "attention" } }, 'outputs names "attention" twice')
  refuses({ outputs = { "atention" } },
    'outputs must be one of attention, cross_attention, attention_mean, q_proj, k_proj, v_proj, q_heads, ' ..
    'k_heads, v_heads, scores, x_heads, x_concat, found "atention"; did you mean "attention"?')
  refuses({ outputs = { 1 } },
    "outputs must be one of attention, cross_attention, attention_mean, q_proj, k_proj, v_proj, q_heads, " ..
    "k_heads, v_heads, scores, x_heads, x_concat, found 1")
  fact.equal(accepts({ outputs = {} }).attention_output, false)
end)

fact.holds("weights name a map that ships, or every tensor", function()
  refuses({ weights = "w_cat" },
    "weights must name a map that ships (" .. table.concat(maps.all_names(), ", ") .. ') or be a table, found "w_cat"')
  refuses({ weights = "torch_mah" },
    "weights must name a map that ships (" .. table.concat(maps.all_names(), ", ") .. ") or be a table, "
    .. 'found "torch_mah"; did you mean torch_mha?')
  refuses({ weights = 1 }, "weights must be the name of a map or a table, found 1")
  refuses({ weights = { q_wieght = "x", transposed = 1, o_bias = 'a"b' } },
    'weights field o_bias must be a tensor name (letters, digits and _ . / -, at most 200), found "a"b"; '
    .. "field transposed must be true or false; "
    .. 'has no field "q_wieght"; did you mean q_weight?')
end)

local CUSTOM = { qkv_weight = "attn.qkv.w", qkv_bias = "attn.qkv.b", o_weight = "attn/out-1", o_bias = "b" }

local function custom(more)
  local map = {}
  for key, value in pairs(CUSTOM) do map[key] = value end
  for key, value in pairs(more) do
    if value == NONE then map[key] = nil else map[key] = value end
  end
  return map
end

fact.holds("a map of one's own names what the model needs and nothing else", function()
  fact.equal(accepts({ weights = CUSTOM }).default_map, "custom")
  refuses({ weights = custom({ qkv_bias = NONE, o_weight = NONE }) },
    "weights names no tensor for q_bias, k_bias, v_bias and o_weight, which this model needs")
  refuses({ weights = custom({ embedding = "e" }) },
    "weights names a tensor for embedding, which this model does not use")
  refuses({ vocab_size = 5, weights = CUSTOM }, "weights names no tensor for embedding, which this model needs")
  refuses({ bias = { o = false }, weights = CUSTOM },
    "weights names a tensor for o_bias, which this model does not use")
  refuses({ weights = custom({ q_weight = "q", k_weight = "k", v_weight = "v" }) },
    "weights names a tensor for qkv_weight, which this model does not use")
end)

fact.holds("tensor names cannot leave a C string, a comment or a line", function()
  for _, bad in ipairs({ "", 'a"', "a\\", "a\n", "a*/", "a??/", "a b", "$a", "a:b", "a%s", "-a", ("a"):rep(201),
    "\195\169" }) do
    local _, errors = spec.from_fields(fields_with({ weights = custom({ o_weight = bad }) }))
    fact.contains(errors and errors[1], "weights field o_weight must be a tensor name")
  end
end)

-- -- Fields ---------------------------------------------------------------------------------------------------------

fact.holds("an unknown field is named with the nearest", function()
  refuses({ d_modle = 8 }, 'no field is called "d_modle"; did you mean d_model?')
  refuses({ frobnicate = 1 }, 'no field is called "frobnicate"')
  refuses({ mask = { causl = true } }, 'no field is called "mask.causl"; did you mean mask.causal?')
  refuses({ [1] = 512 }, "no field is called 1")
  refuses({ ["*/\n"] = 1 }, 'no field is called "*/?"')
end)

fact.holds("of thousands of unknown fields the first are said, in few steps", function()
  local fields, names = fields_with({}), {}
  for i = 1, 5000 do fields[("f%04d_some_more"):format(i)], names[("f%04d"):format(i)] = 1, 1 end
  fields.weights, fields.activation, fields.bias = names, names, names
  local _, errors = fact.within_steps(spec.from_fields, fields)
  fact.equal(errors[20], 'no field is called "f0020_some_more"')
  fact.equal(errors[21], "and 4980 more like this")
  for i = 22, 24 do assert(#errors[i] < 500, #errors[i]) end
  fact.equal(#errors, 24)
end)

fact.holds("a spec whose text is longer than a string of C may be is refused", function()
  accepts({ seq_len = ("0"):rep(3900) .. "8" })
  local _, errors = spec.from_fields(fields_with({ seq_len = ("0"):rep(4100) .. "8" }))
  fact.contains(errors[1], "bytes; at most 4095 are what every C compiler takes as one string")
end)

fact.holds("required fields are asked for with an example", function()
  refuses({ d_model = NONE, n_heads = NONE }, "d_model is missing (it is required, for example d_model = 512)",
    "n_heads is missing (it is required, for example n_heads = 8)")
  refuses({ n_layers = 0, n_heads = NONE }, "n_heads is missing (it is required, for example n_heads = 8)")
  refuses({ layer = { attention = false }, n_heads = NONE },
    "n_heads is missing (it is required, for example n_heads = 8)")
end)

fact.holds("all errors come at once, unknown fields first, then in the order of the fields", function()
  refuses({ zz = 1, aa = 1, d_model = "x", n_heads = 0, outputs = 5, batch = {} },
    'no field is called "aa"', 'no field is called "zz"',
    'd_model must be a whole number from 1 to 65536, found "x"',
    "n_heads must be a whole number from 1 to 1024, found 0",
    "batch must be a whole number from 1 to 65536, found a table",
    'outputs must be a list like { "attention" }, found 5')
end)

fact.holds("a label stands before every message", function()
  local _, errors = spec.from_fields({ d_model = 0 }, "a b.lua")
  fact.lists_equal(errors, { "a b.lua: d_model must be a whole number from 1 to 65536, found 0",
    "a b.lua: n_heads is missing (it is required, for example n_heads = 8)" })
end)

-- -- Contradictions -------------------------------------------------------------------------------------------------

fact.holds("heads must share d_model evenly, unless d_head is given", function()
  refuses({ d_model = 128, n_heads = 5 }, "d_model (128) is not a multiple of n_heads (5)")
  refuses({ d_model = 1, n_heads = 2 }, "d_model (1) is not a multiple of n_heads (2)")
  refuses({ d_model = 4096, n_heads = 1 },
    "d_head, by default d_model / n_heads, must be a whole number from 1 to 1024, found 4096")
  fact.equal(accepts({ d_model = 128, n_heads = 5, d_head = 30 }).d_head, 30)
end)

fact.holds("key heads must share the query heads evenly", function()
  refuses({ n_heads = 4, n_kv_heads = 3 }, "n_heads (4) is not a multiple of n_kv_heads (3)")
  refuses({ n_heads = 4, n_kv_heads = 8 }, "n_heads (4) is not a multiple of n_kv_heads (8)")
end)

fact.holds("several contradictions come at once", function()
  refuses({ d_model = 128, n_heads = 5, n_kv_heads = 2, weights = custom({ o_bias = NONE }) },
    "d_model (128) is not a multiple of n_heads (5)",
    "n_heads (5) is not a multiple of n_kv_heads (2)",
    "weights names no tensor for o_bias, which this model needs")
end)

-- -- Files ----------------------------------------------------------------------------------------------------------

fact.holds("a file's errors name the file", function()
  local _, errors = spec.read(folder .. "absent.lua")
  fact.contains(errors[1], folder .. "absent.lua")
  _, errors = spec.read(folder)
  fact.contains(errors[1], folder)
  assert(fs.write_if_changed(folder .. "bad.lua", "{ d_model = 128,\n n_heads = 5,") ~= nil)
  _, errors = spec.read(folder .. "bad.lua")
  fact.lists_equal(errors, { folder .. 'bad.lua: line 1: this "{" is never closed' })
  assert(fs.write_if_changed(folder .. "five.lua", "{ d_model = 128, n_heads = 5 }") ~= nil)
  _, errors = spec.read(folder .. "five.lua")
  fact.lists_equal(errors, { folder .. "five.lua: d_model (128) is not a multiple of n_heads (5)" })
end)

fact.holds("every spec of the repository is one", function()
  for _, of in ipairs({ "specs/", "tests/specs/", "tests/golden/", "tests/pytorch/specs/" }) do
    for _, file in ipairs(assert(fs.list(of))) do
      if file:find("%.lua$") then
        local s, errors = spec.read(of .. file)
        if not s then error(table.concat(errors, "\n")) end
      end
    end
  end
end)

fact.finish()
