-- gguf_hostile_test.lua: --from-gguf: headers that are damaged or meant to harm: each is refused with a message that
-- names the file, and none makes the generator stop otherwise or take long.
local gguf = dofile("tests/generator/gguf_files.lua")

local fact, model, number, text, refuses = gguf.fact, gguf.model, gguf.number, gguf.string, gguf.refuses

-- The start of a file with these counts.
local function head(tensors, keys)
  return "GGUF" .. number(3, 4) .. number(tensors, 8) .. number(keys, 8)
end

local function key(name, kind, value)
  return head(0, 1) .. text(name) .. number(kind, 4) .. value
end

local function tensor(name, axes, kind, offset)
  return head(1, 0) .. text(name) .. number(#axes, 4) .. table.concat(axes) .. number(kind, 4) .. number(offset, 8)
end

local CUT = "it is cut short, or damaged"
local LARGEST = ("\255"):rep(8)

fact.holds("what is not a GGUF file, or of another version, is refused", function()
  for _, content in ipairs({ "", "GGUF", "GGUF" .. number(3, 4), ("x"):rep(100) }) do
    refuses(content, "byte 0: is not a GGUF file: it does not begin with GGUF and two counts")
  end
  for _, version in ipairs({ 0, 1, 4 }) do
    refuses("GGUF" .. number(version, 4) .. number(0, 16), ("byte 4: GGUF version %d; expected 2 or 3"):format(version))
  end
  refuses("GGUF\0\0\0\3" .. number(0, 16), "byte 4: a big-endian GGUF file; expected a little-endian one")
end)

fact.holds("counts and lengths beyond the file are refused", function()
  refuses("GGUF" .. number(3, 4) .. LARGEST .. number(0, 8),
    "byte 8: 18446744073709551616 tensors; expected at most 65536")
  refuses("GGUF" .. number(3, 4) .. number(0, 8) .. LARGEST,
    "byte 24: a key takes 8 bytes, but the file ends at byte 24: " .. CUT)
  refuses(head(0, 1) .. LARGEST .. "k",
    "byte 32: a key takes 1.8446744073709552e+19 bytes, but the file ends at byte 33: " .. CUT)
  refuses(key("k", 9, number(4, 4) .. LARGEST),
    "byte 49: a list takes 7.378697629483821e+19 bytes, but the file ends at byte 49: " .. CUT)
  refuses(key("k", 9, number(8, 4) .. LARGEST .. text("a")),
    "byte 58: a text takes 8 bytes, but the file ends at byte 58: " .. CUT)
end)

fact.holds("keys and values of no kind are refused", function()
  refuses(key("", 4, number(0, 4)), "byte 24: a key of 0 bytes; expected 1 to 65535")
  refuses(key("k", 13, number(0, 4)), 'byte 33: key "k" has a value of type 13; expected one of 0 to 12')
  refuses(key("k", 9, number(9, 4) .. number(0, 8)), 'byte 37: key "k" is a list of type 9')
end)

-- A Llama with more keys, the last of them wrong.
local function llama_with(...)
  local more = {}
  for i, name in ipairs({ ... }) do more[i] = { name, "u32", 1 } end
  return model("llama", { more })
end

-- The message without the place, which the keys before it decide.
local function refuses_key(content, message)
  local made, errors = gguf.read(content)
  fact.equal(made, nil)
  fact.equal(#errors, 1)
  fact.equal((errors[1]:gsub("^.-: byte %d+: ", "")), message)
end

fact.holds("a key that is read has a plain name, once, and none above or below it", function()
  refuses_key(llama_with("llama.a", "llama.a"), 'key "llama.a" is there twice')
  refuses_key(llama_with("llama.a.b", "llama.a"), 'key "llama.a.b" is below another key, which has a value')
  for _, name in ipairs({ "llama.a b", "llama.a..b", "llama.a.", "llama.(tensors)" }) do
    refuses_key(llama_with(name), ('key "%s"; expected letters, digits, _ and -, with dots between'):format(name))
  end
end)

fact.holds("keys that nothing reads may have any name and any order", function()
  gguf.reads(llama_with("tokenizer.chat_template", "tokenizer.chat_template.tool_use", "a.b", "a", "a b", "x..", ".y",
    "(tensors)", "general.tags", "general.tags.0", "general.tags", "llamas.a b", ("k"):rep(300)))
end)

fact.holds("tensors of no name, shape or type are refused", function()
  local two, many = number(2, 8), number(2 ^ 30, 8)
  local a_name, types = "a name of 1 to 256 bytes without control characters",
    "F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K or IQ4_NL: " ..
      "take the model quantized so"
  refuses(tensor("", { two }, 0, 0), 'byte 24: tensor ""; expected ' .. a_name)
  refuses(tensor("a\27", { two }, 0, 0), 'byte 24: tensor "a?"; expected ' .. a_name)
  refuses(tensor("a", { two, two, two, two, two }, 0, 0), 'byte 33: tensor "a" has 5 axes; expected at most 4')
  refuses(tensor("a", { LARGEST }, 0, 0), 'byte 33: tensor "a" has more elements than can be')
  refuses(tensor("a", { many, many }, 0, 0), 'byte 33: tensor "a" has more elements than can be')
  for number_of, name in pairs({ [22] = "IQ2_S", [99] = "of no name" }) do
    refuses(tensor("a", { two }, number_of, 0), ('byte 45: tensor "a" is of type %d (%s), which is not read; ' ..
      "expected %s"):format(number_of, name, types))
  end
  refuses(tensor("a", { two }, 2, 0), 'byte 24: tensor "a" of Q4_0 has rows of 2; expected a multiple of 32')
  refuses(tensor("a", { two }, 0, 0), 'byte 24: tensor "a" ends at byte 72, but the file has 57: ' .. CUT)
  local info = text("a") .. number(1, 4) .. number(0, 8) .. number(0, 4) .. number(0, 8)
  refuses(head(2, 0) .. info .. info, 'byte 57: tensor "a" is there twice')
end)

fact.holds("an alignment that is none is refused", function()
  for _, value in ipairs({ 0, 4, 48, 2 ^ 31 }) do
    refuses(model("llama", { { { "general.alignment", "u32", value } } }),
      ("byte 0: general.alignment is %d; expected a power of two from 8 to 1048576"):format(value))
  end
end)

fact.holds("values that fields of a spec cannot have are refused by name", function()
  for _, row in ipairs({ { "text", "9" }, { "f32", 0x7FC00000 }, { "u64", 2 ^ 63 }, { "u32", 0 }, { "bool", true },
    { "raw", { 9, number(4, 4) .. number(1, 8) .. number(8, 4) } } }) do
    local result, errors = gguf.read(model("llama", { { { "llama.embedding_length", row[1], row[2] } } }))
    fact.equal(result, nil)
    fact.contains(errors[1], ": llama.embedding_length is ")
  end
  local _, errors = gguf.read(model("llama", { { { "llama.embedding_length.x", "u32", 8 } } }))
  fact.contains(errors[1], "is below another key, which has a value")
end)

fact.holds("a file that ends anywhere is refused in words", function()
  local whole = model("llama")
  for cut = 0, #whole - 1, 7 do
    local result, errors = gguf.read(whole:sub(1, cut))
    assert(result == nil and #errors == 1, cut)
    fact.contains(errors[1], cut < 24 and "is not a GGUF file" or CUT)
  end
end)

fact.holds("a file with any byte changed is read or refused, and nothing else", function()
  local whole = model("llama")
  for at = 1, 600, 3 do
    for _, byte in ipairs({ 0, 255, whole:byte(at) % 255 + 1 }) do
      local result, errors = gguf.read(whole:sub(1, at - 1) .. string.char(byte) .. whole:sub(at + 1))
      assert(result or (#errors > 0 and #errors <= 40), at)
    end
  end
end)

fact.holds("a long vocabulary is read in pieces, and within a second", function()
  local words = text("word"):rep(50000)
  local more = { { { "tokenizer.ggml.tokens", "raw", { 9, number(8, 4) .. number(50000, 8) .. words } },
    { "tokenizer.ggml.scores", "raw", { 9, number(6, 4) .. number(50000, 8) .. ("\0"):rep(200000) } } } }
  local content = model("llama", more)
  assert(fact.within_steps(gguf.read, content))
end)

fact.finish()
