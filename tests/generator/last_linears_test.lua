-- last_linears_test.lua: what logits and a classifier multiply, by the field dtype, and what goes before logits. Reads
-- specs alone: what comes of it are kernels' facts.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

-- The spec of a stack with logits and a classifier and of one dtype, with other fields beside.
local function last_linears(dtype, more)
  local raw = { kind = "encoder", d_model = 64, n_heads = 4, n_layers = 1, seq_len = 8, vocab_size = 30,
    pool = { kind = "cls" }, logits = { kind = "linear", tied = true }, classifier = { labels = 2 }, dtype = dtype }
  for name, value in pairs(more or {}) do raw[name] = value end
  return spec.from_fields(raw)
end

-- What logits and the classifier multiply, in words.
local function of_last(dtype, more)
  local s = assert(last_linears(dtype, more))
  return s.arithmetic_of.logits .. " " .. s.arithmetic_of.classifier
end

fact.holds("a transform before logits has a linear with a bias and a norm as the model's", function()
  local function with(more)
    local raw = { kind = "encoder", d_model = 8, n_heads = 2, n_layers = 1, vocab_size = 7, seq_len = 8 }
    for name, value in pairs(more) do raw[name] = value end
    return spec.from_fields(raw)
  end
  local function last_roles(count, norm, logits)
    local roles, names = assert(with({ norm = norm, logits = logits })).roles, {}
    for i = 1, count do
      local role = roles[#roles - count + i]
      names[i] = role.name .. " " .. table.concat(role.shape, "x")
    end
    return names
  end
  fact.lists_equal(last_roles(5, nil, { kind = "linear", tied = true, bias = true, transform = "gelu" }),
    { "logits_dense_weight 8x8", "logits_dense_bias 8", "logits_norm_weight 8", "logits_norm_bias 8", "logits_bias 7" })
  fact.lists_equal(last_roles(4, { kind = "rms", final = true }, { kind = "linear", transform = "tanh" }),
    { "logits_dense_weight 8x8", "logits_dense_bias 8", "logits_norm_weight 8", "logits_weight 7x8" })
  local function refuses(more, message)
    local s, errors = with(more)
    fact.equal(s, nil)
    fact.lists_equal(errors, { message })
  end
  refuses({ norm = { kind = "none" }, logits = { kind = "linear", transform = "gelu" } },
    'logits.transform ends with a norm, but norm.kind = "none"')
  refuses({ logits = { transform = "gelu" } },
    'logits.kind is missing, but there are other fields of logits: "linear", "softmax", "log_softmax" or "unit"')
  local _, errors = spec.from_fields({ kind = "encoder", d_model = 8, n_layers = 0, vocab_size = 7, seq_len = 8,
    logits = { kind = "linear", transform = "gelu" } })
  fact.lists_equal(errors, { "logits.transform is given, but n_layers = 0 leaves out its layers" })
end)

fact.holds("logits and a classifier follow the one dtype or the default, and any has all of them", function()
  fact.equal(of_last("int8"), "int8 int8")
  fact.equal(of_last({ default = "i16", q = "f32" }), "i16 i16")
  fact.equal(of_last({ default = "i16", logits = "bf16", classifier = "f32" }), "bf16 f32")
  fact.equal(of_last({ classifier = "int8" }), "f32 int8")
  fact.equal(of_last("any"), "f32 f32")
  fact.equal(of_last(nil), "f32 f32")
  local of = assert(last_linears("any")).choices_of
  fact.lists_equal(of.logits, { "f32", "bf16", "i16", "int8" })
  fact.lists_equal(of.classifier, { "f32", "bf16", "i16", "int8" })
end)

fact.holds("tied logits share the embedding's packed weights where both are floats alone", function()
  fact.equal(last_linears(nil).own_token_table, false)
  fact.equal(last_linears({ default = "int8", logits = "f32" }).own_token_table, false)
  fact.equal(last_linears({ logits = "int8" }).own_token_table, true)
  fact.equal(last_linears("any").own_token_table, false)
  for _, dtype in ipairs({ "bf16", "int8" }) do
    local s = last_linears({ default = "i16", embedding = dtype })
    fact.equal(s.own_token_table, true)
    fact.equal(last_linears({ embedding = dtype }).own_token_table, true)
    fact.contains(table.concat(spec.sentences(s), "\n"), "packed once more")
    local shared = last_linears({ logits = dtype, embedding = dtype })
    fact.equal(shared.own_token_table, false)
    fact.contains(table.concat(spec.sentences(shared), "\n"), ("kept as %s in the panels of logits"):format(dtype))
  end
end)

fact.holds("the table of token rows has the dtype that is named for it, and follows no default", function()
  fact.equal(last_linears("int8").embedding_dtype, "f32")
  fact.equal(last_linears({ default = "bf16" }).embedding_dtype, "f32")
  fact.equal(last_linears({ default = "int8", embedding = "bf16" }).embedding_dtype, "bf16")
  local function errors_of(more)
    local raw = { d_model = 64, n_heads = 4, seq_len = 8 }
    for name, value in pairs(more) do raw[name] = value end
    local _, errors = spec.from_fields(raw)
    return errors
  end
  fact.lists_equal(errors_of({ dtype = { embedding = "int8" } }),
    { 'dtype.embedding = "int8" is given, but there is no vocab_size, and so no table of token rows: give ' ..
      "vocab_size, or leave dtype.embedding out" })
  fact.contains(errors_of({ dtype = { embedding = "i16" } })[1], "field embedding must be one of f32, bf16, int8")
  fact.equal(errors_of({ vocab_size = 9, dtype = { embedding = "int8" } }), nil)
end)

fact.holds("linears after the last layer need none before them", function()
  local function errors_of(dtype)
    local _, errors = spec.from_fields({ kind = "encoder", d_model = 64, n_layers = 0, seq_len = 8, vocab_size = 30,
      logits = { kind = "linear" }, dtype = dtype })
    return errors
  end
  fact.equal(errors_of("int8"), nil)
  fact.equal(errors_of("any"), nil)
  fact.lists_equal(errors_of({ q = "int8" }),
    { "dtype.q is given, but the model has no such linear; it has logits" })
end)

fact.holds("a transformer's logits are its decoder's, whatever its encoder multiplies", function()
  local s = assert(spec.from_fields({ kind = "transformer", d_model = 64, n_heads = 4, n_layers = 1, seq_len = 8,
    vocab_size = 30, logits = { kind = "linear" }, dtype = { up = "int8", logits = "i16" } }))
  fact.equal(s.decoder_spec.arithmetic_of.logits, "i16")
  fact.lists_equal(s.decoder_spec.arithmetics, { "f32", "i16", "int8" })
  fact.lists_equal(s.encoder_spec.arithmetics, { "f32", "int8" })
end)

fact.holds("what linears multiply is said of all, or of each dtype's", function()
  local function said(dtype, more)
    for _, sentence in ipairs(spec.sentences(assert(last_linears(dtype, more)))) do
      if sentence:find("linears", 1, true) == 1 then return sentence end
    end
  end
  local of_bytes = "rows of 8 bits by weights of 8 bits, in sums of 256 products"
  fact.equal(said("int8"), "linears of layers, logits and classifier multiply " .. of_bytes)
  fact.equal(said({ default = "int8", logits = "f32" }),
    "linears: logits multiply floats; q, k, v, o, up, down and classifier multiply " .. of_bytes)
  fact.equal(said("any"), "linears of layers, logits and classifier multiply what a call chooses for each: " ..
    "f32, bf16, i16 or int8; f32 where it chooses none")
  fact.equal(said(nil), nil)
end)

fact.finish()
