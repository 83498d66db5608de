-- masks_test.lua: what the specs of masks, fills and extra keys say and refuse.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local function read(more)
  local raw = { d_model = 8, n_heads = 4 }
  for key, value in pairs(more) do raw[key] = value end
  return spec.from_fields(raw)
end

local function refuses(more, message)
  local s, errors = read(more)
  fact.equal(s, nil)
  fact.lists_equal(errors, { message })
end

local function says(more, sentence)
  local said = spec.sentences((assert(read(more))))
  for _, one in ipairs(said) do
    if one == sentence then return end
  end
  error(("'%s' is not said, but\n%s"):format(sentence, table.concat(said, "\n")), 2)
end

fact.holds("masks at run time say what they do", function()
  says({ mask = { tensor = "bool" } }, "a mask of bytes may come with each call, with axes of size 1 where it is " ..
    "the same for all: a query sees the keys whose byte is not zero")
  says({ mask = { tensor = "additive" } }, "a mask of numbers may come with each call, with axes of size 1 where it " ..
    "is the same for all: it is added to the scaled scores, and -inf forbids a key")
end)

fact.holds("a fill says what it gives masked keys, and warns where that is not nothing", function()
  says({ mask_fill = -1e4 }, "masked scores are replaced by -10000, also those of padding, whose keys and values " ..
    "are computed; a masked key has the weight that this gives it, beside common scores none")
  says({ mask_fill = -1e-12 }, "masked scores are replaced by -1e-12, also those of padding, whose keys and values " ..
    "are computed; WARNING: -1e-12 does not mask: beside a score of 0 a masked key keeps a weight of exp(-1e-12)")
end)

local STACK = { kind = "encoder", d_ff = 8, n_layers = 1 }

local function of_stack(more)
  for key, value in pairs(STACK) do more[key] = value end
  return more
end

fact.holds("a fill of a whole model is for its rows, and none that padding would have weight by", function()
  says(of_stack({ mask_fill = -1e9, mask = { causal = true } }), "masked scores are replaced by -1000000000; a " ..
    "masked key has the weight that this gives it, beside common scores none")
  says(of_stack({ mask_fill = -2, mask = { causal = true, lengths = false } }), "masked scores are replaced by -2; " ..
    "WARNING: -2 does not mask: beside a score of 0 a masked key keeps a weight of exp(-2)")
  refuses(of_stack({ mask_fill = -999, mask = { causal = true } }), 'mask_fill (-999) could give padding a weight, ' ..
    'and kind = "encoder" computes no padding: take at most -1000, as -1e9 is, or mask.lengths = false, for ' ..
    "sequences without padding")
end)

fact.holds("what only padding is masked by concerns no row of a whole model's attention", function()
  local s = assert(read(of_stack({ mask_fill = -1e9 })))
  fact.equal(s.fill, -1e9)
  fact.equal(s.attention_spec.fill, false)
  fact.equal(assert(read(of_stack({ mask_fill = -1e9, mask = { causal = true } }))).attention_spec.fill, -1e9)
end)

local function of_decoder(more)
  more.kind, more.d_ff, more.n_layers = more.kind or "decoder", 8, 1
  return more
end

fact.holds("a mask of the memory is that of the attention to it, with the fill and the rule of the others", function()
  says(of_decoder({ mask = { memory = "bool" } }), "a mask of bytes may come with each call for what is attended to " ..
    "besides: a query sees the rows of it whose byte is not zero")
  says(of_decoder({ mask = { memory = "additive" } }), "a mask of numbers may come with each call for what is " ..
    "attended to besides: it is added to the scaled scores, and -inf forbids a row of it")
  local mask = { memory = "bool", causal = false, lengths = false }
  local s = assert(read(of_decoder({ mask_fill = -1e-12, mask = mask })))
  fact.equal(s.memory_spec.mask_tensor, "bool")
  fact.equal(s.memory_spec.fill, -1e-12)
  fact.equal(s.attention_spec.mask_tensor, false)
  fact.equal(s.attention_spec.fill, false)
  s = assert(read(of_decoder({ masked_row = "uniform", mask = { tensor = "bool", memory = "additive" } })))
  fact.equal(s.memory_spec.mask_tensor, "additive")
  assert(s.memory_spec.uniform)
  assert(not read(of_decoder({ masked_row = "uniform" })).memory_spec.uniform)
end)

fact.holds("of a transformer a side that masks nothing takes no fill", function()
  local mask = { memory = "bool", causal = true, lengths = false }
  local s = assert(read(of_decoder({ kind = "transformer", mask_fill = -1e-12, mask = mask })))
  fact.equal(s.encoder_spec.fill, false)
  fact.equal(s.decoder_spec.memory_spec.fill, -1e-12)
  fact.equal(s.decoder_spec.attention_spec.fill, -1e-12)
  mask.tensor = "bool"
  s = assert(read(of_decoder({ kind = "transformer", mask_fill = -1e-12, mask = mask })))
  fact.equal(s.encoder_spec.attention_spec.fill, -1e-12)
  for _, kind in ipairs({ "encoder", "decoder", "transformer" }) do
    assert(read(of_decoder({ kind = kind, mask_fill = -1e-12, mask = { causal = true, lengths = false } })))
  end
end)

fact.holds("a mask of the memory is for what has one, and no cache", function()
  refuses(of_decoder({ kind = "encoder", mask = { memory = "bool" } }), 'mask.memory ("bool") masks what a decoder ' ..
    'attends to besides its rows, and kind = "encoder" has none: mask.tensor masks its own')
  refuses({ mask = { memory = "bool" } }, 'mask.memory is given, but kind = "mha" is not a stack of layers; kind = ' ..
    '"decoder" is one')
  refuses(of_decoder({ mask = { memory = "bool" }, cache = 512 }), "cache (512) contradicts mask.memory, which is " ..
    "given for the rows of one call")
  refuses(of_decoder({ mask_fill = -1, mask = { causal = false, memory = "additive", lengths = false } }),
    "mask_fill (-1) replaces masked scores, and nothing masks: mask.causal, mask.window and mask.lengths are off, " ..
    'and mask.tensor is not "bool", nor mask.memory')
  refuses(of_decoder({ mask_fill = -1e-12, mask = { memory = "bool" } }), "mask_fill (-1e-12) could give padding a " ..
    'weight, and kind = "decoder" computes no padding: take at most -1000, as -1e9 is, or mask.lengths = false, for ' ..
    "sequences without padding")
end)

fact.holds("rows without a key have one rule, and none where there are no such rows", function()
  local zero = "a row that sees no key has zero attention, so its output is the output bias"
  says({}, zero)
  says({ activation = { o = "gelu" } }, zero .. ", through gelu")
  says({ masked_row = "uniform" }, "a row that sees no key gives all keys of its sequence the same weight; without " ..
    "any it has zero attention")
  for _, more in ipairs({ { mask_fill = -1e4 }, { add_zero_attn = true } }) do
    for _, said in ipairs(spec.sentences((assert(read(more))))) do assert(not said:find("sees no key"), said) end
  end
end)

fact.holds("the mean of attention is an output of its own", function()
  says({ outputs = { "attention_mean" } }, "the mean of all heads' softmax weights is written on request")
end)

fact.holds("extra keys say where they stand", function()
  local both = { add_bias_kv = true, add_zero_attn = true }
  says(both, "a learned key and value of each head stand after those of each sequence, seen by every query")
  says(both, "a key and a value of zeros stand after those of each sequence, seen by every query")
end)

fact.holds("a fill is a finite number that something masks with", function()
  refuses({ mask_fill = "inf" },
    'mask_fill must be "-inf" or a finite number that replaces a masked score, found "inf"')
  refuses({ mask_fill = -1e39 },
    'mask_fill must be "-inf" or a finite number that replaces a masked score, found -1e+39')
  refuses({ mask_fill = -1e4, mask = { lengths = false, tensor = "additive" } },
    "mask_fill (-10000) replaces masked scores, and nothing masks: mask.causal, mask.window and mask.lengths " ..
    'are off, and mask.tensor is not "bool"')
end)

fact.holds("the rule for masked rows contradicts what leaves none", function()
  refuses({ mask_fill = -1e4, masked_row = "zero" }, 'masked_row ("zero") is about rows masked with -inf: with ' ..
    "mask_fill (-10000) they are what this number gives")
  refuses({ add_zero_attn = true, masked_row = "uniform" },
    'masked_row ("uniform") is about rows that see no key, and every row sees that of add_zero_attn')
end)

fact.finish()
