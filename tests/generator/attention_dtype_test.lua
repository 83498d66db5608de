-- attention_dtype_test.lua: facts about what attention's two products multiply: what follows a dtype, what is refused,
-- and what is said.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local NONE = {} -- a field that is not given

-- The spec of these fields, or nil and what is wrong.
local function read(fields)
  local raw = { d_model = 64, n_heads = 4, seq_len = "1..40" }
  for key, value in pairs(fields) do raw[key] = value ~= NONE and value or nil end
  return spec.from_fields(raw)
end

local function refused(fields)
  local s, errors = read(fields)
  return s and "accepted" or table.concat(errors, "; ")
end

local function said(s)
  return table.concat(spec.sentences(s), "; ")
end

fact.holds("attention follows the default", function()
  for dtype, expected in pairs({ f32 = "f32", bf16 = "bf16", i16 = "i16", int8 = "int8", any = "f32" }) do
    fact.equal(read({ dtype = dtype }).attends_in, expected)
  end
  fact.equal(read({}).attends_in, "f32")
  fact.equal(read({ dtype = { default = "int8", attention = "bf16" } }).attends_in, "bf16")
  fact.equal(read({ dtype = { default = "int8", attention = "f32" } }).attends_in, "f32")
  fact.equal(read({ dtype = { down = "int8" }, kind = "encoder", n_layers = 1 }).attends_in, "f32")
end)

local FEATURES = {
  outputs = { outputs = { "attention" } }, ["mask.window"] = { mask = { causal = true, window = 4 } },
  mask_fill = { mask_fill = -1e9, mask = { causal = true } }, sinks = { sinks = true },
  ["add_bias_kv or add_zero_attn"] = { add_zero_attn = true }, cache = { cache = 64 },
}

fact.holds("some features leave attention in floats, which is said, unless the dtype names it", function()
  for what, fields in pairs(FEATURES) do
    fields.dtype = "i16"
    local s, errors = read(fields)
    fact.equal(s and s.attends_in or table.concat(errors), "f32")
    fact.contains(said(s), ("attention multiplies floats: in a model with %s only dtype.attention changes that"):format(
      what))
    for _, name in ipairs({ "bf16", "i16", "int8" }) do
      fields.dtype = { attention = name }
      s, errors = read(fields)
      fact.equal(s and s.attends_in or table.concat(errors), name)
    end
  end
end)

fact.holds("what needs floats leaves attention in floats, which is said; by name it is refused", function()
  for what, fields in pairs({
    ["d_head = 512 is more than the 256 products"] = { d_model = 1024, n_heads = 2 },
  }) do
    fields.dtype = "i16"
    local s, errors = read(fields)
    fact.equal(s and s.attends_in or table.concat(errors), "f32")
    fact.contains(said(s), "attention multiplies floats: " .. what)
    fields.dtype = { attention = "i16" }
    fact.contains(refused(fields), 'dtype.attention = "i16" contradicts ' .. what:gsub(" .*", ""))
    fields.dtype = { attention = "int8" }
    fact.contains(refused(fields), 'dtype.attention = "int8" contradicts ' .. what:gsub(" .*", ""))
  end
end)

fact.holds("attention has a dtype of its own where a call chooses those of linears", function()
  local s, errors = read({ dtype = { default = "any", attention = "int8" }, kind = "encoder", n_layers = 1 })
  fact.equal(s and s.attention_spec.attends_in or table.concat(errors), "int8")
  fact.equal(s.chooses and s.attention_spec.chooses, true)
  fact.equal(read({ dtype = { default = "any" } }).attends_in, "f32")
  fact.equal(refused({ dtype = { default = "any", up = "int8" } }),
    'dtype field up contradicts default = "any", with which a call chooses for each linear')
end)

fact.holds("a sum of bf16 is as long as it is", function()
  fact.equal(read({ d_model = 512, n_heads = 2, dtype = { attention = "bf16" } }).attends_in, "bf16")
end)

fact.holds("attention alone has a dtype, and layers without attention have none", function()
  local s = read({ kind = "sdpa", d_model = NONE, d_head = 16, dtype = { attention = "bf16" } })
  fact.equal(s and s.attends_in, "bf16")
  fact.lists_equal(s.arithmetics, { "bf16" })
  fact.contains(said(s), "attention multiplies queries, keys, softmax weights and values rounded to bf16")
  fact.equal(refused({ kind = "encoder", n_layers = 1, n_heads = NONE, layer = { attention = false },
    dtype = { attention = "bf16" } }), 'dtype.attention = "bf16" is given, but nothing attends')
end)

fact.holds("both sides of a transformer attend alike", function()
  local fields = { kind = "transformer", n_layers = 1, n_decoder_layers = 1, vocab_size = 9, seq_len = 8,
    dtype = "int8" }
  local s = read(fields)
  fact.equal(s.encoder_spec.attends_in .. " " .. s.decoder_spec.attends_in, "int8 int8")
  fields.cache = 64
  s = read(fields)
  fact.equal(s.encoder_spec.attends_in .. " " .. s.decoder_spec.attends_in, "f32 f32")
  fact.equal(s.encoder_spec.arithmetic_of.up, "int8")
end)

fact.finish()
