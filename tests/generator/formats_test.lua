-- formats_test.lua: number formats as tables of data, what words of specs mean, and where packed parts of any format
-- lie.
local fact = dofile("tests/generator/fact.lua")
local formats = require "formats"
local fs = require "base.fs"
local groups = require "formats.vocabulary.groups"
local isa = require "isa"
local kept = require "formats.vocabulary.kept"
local packed = require "plan.packed"

local ELEMENTS = { type = "string", bytes = "number", to_float = "string" }
local OPTIONAL = { word = "string", from_float = "string", weights = "boolean", rows = "boolean", load = "string",
  store = "string",
  helpers = "string", enum = "string", scales = "string", largest = "number", product = "table" }
local OF_GROUPS = { type = "string", bytes = "number", group = "number", unit = "number", bias = "number",
  zero = "number", zero_steps = "number", scale = "table", facts = "number", column_bytes = "number" }
local PRODUCT = { sentence = "string", attends = "string", sum = "number", group = "number", any_weights = "boolean",
  alignment = "number", elements = "boolean", ways = "table", functions = "function", vocabulary = "function",
  largest_row = "number", is_offset = "boolean", largest_weight = "number", total_weight = "number",
  largest_key = "number", cached = "string" }

-- The names of all files of the folder.
local function all_names()
  local names = {}
  for _, file in ipairs(assert(fs.list("generator/formats"))) do
    local name = file:match("^(.*)%.lua$")
    names[#names + 1] = name ~= "init" and name or nil
  end
  return names
end

fact.holds("every file is a table of its name, of what the contract lists", function()
  for _, name in ipairs(all_names()) do
    local F = formats.get(name)
    fact.equal(F.name, name)
    for field, value in pairs(F) do
      if field ~= "name" and field ~= "bits" then
        fact.equal(type(value), OPTIONAL[field] or (F.group and OF_GROUPS or ELEMENTS)[field] or name .. "." .. field)
      end
    end
    for field, value in pairs(F.product or {}) do fact.equal(type(value), PRODUCT[field] or name .. "." .. field) end
    for field in pairs((F.weights or F.rows) and not F.group and ELEMENTS or {}) do assert(F[field], field) end
    assert(F.weights or F.rows or F.product, name)
    assert(F.from_float or not F.rows, name)
  end
end)

fact.holds("words of specs mean one format of weights, one of rows, and one of products with weights", function()
  fact.lists_equal(formats.weights(), { "f32", "bf16", "f16", "int8", "int4" })
  fact.lists_equal(formats.rows(), { "f32", "bf16", "int8" })
  fact.lists_equal(formats.products(), { "f32", "bf16", "i16", "int8" })
  fact.lists_equal(formats.products(true), { "f32", "bf16", "i16", "int8", "int8_g32" })
  fact.lists_equal(formats.attending(), { "f32", "bf16", "i16", "int8" })
  fact.equal(formats.of_weights("int8").name, "int8_g32")
  fact.equal(formats.of_rows("int8").name, "int8_row")
  for weights, names in pairs({ f32 = "f32 bf16 i16 int8", bf16 = "f32 nil nil nil",
    f16 = "f32 nil nil nil", int8 = "f32 nil nil int8_g32",
    int4 = "f32 nil nil int8_g32" }) do
    local found = {}
    for i, word in ipairs({ "f32", "bf16", "i16", "int8" }) do
      found[i] = tostring(formats.product_with(word, weights))
    end
    fact.equal(table.concat(found, " "), names)
  end
end)

fact.holds("a group's numbers have places of their own in a word, and its bytes are counted", function()
  for _, name in ipairs({ "int8_g32", "int4_g32" }) do
    local t, taken = formats.get(name), {}
    for i = 0, t.unit - 1 do taken[groups.place(i, t.bits)] = true end
    for place = 0, t.unit - 1 do assert(taken[place], name) end
    fact.equal(t.unit * t.bits, 32)
    fact.equal(kept.column_bytes(name, 32), t.facts + t.bits * 4)
    fact.equal(kept.column_bytes(name, 33), 2 * kept.column_bytes(name, 32))
  end
  fact.equal(kept.column_bytes("int8_g32", 32) * 8 / 32, 8.5)
  fact.equal(kept.column_bytes("int4_g32", 32) * 8 / 32, 4.5)
  fact.equal(kept.column_bytes("bf16", 33), 66)
end)

fact.holds("a CPU is asked for what the compiler is told of, and the runtime knows that", function()
  local header = assert(fs.read("runtime/include/genattn/cpu.h"))
  for _, isa_name in ipairs(isa.names()) do
    local needs, flags = kept.needs("int8_g32", isa.get(isa_name)), {}
    for _, feature in ipairs(needs.cpu) do
      fact.contains(header, ("X(%s, "):format(feature))
      flags[#flags + 1] = "-m" .. feature:lower():gsub("_", "")
    end
    fact.equal(table.concat(needs.cflags, " "), table.concat(flags, " "), isa_name)
  end
end)

fact.holds("a float is loaded as the instruction set loads floats", function()
  for _, name in ipairs(isa.names()) do
    local set = isa.get(name)
    local W = kept.vocabulary("f32", set)
    fact.equal(W.load("p"), set.V.load("p"))
    fact.equal(W.from_float("x + y"), "x + y")
    fact.equal(W.bytes, 4)
  end
end)

fact.holds("a vector becomes elements on every instruction set, a vector of floats as these are stored", function()
  for _, name in ipairs(isa.names()) do
    local set = isa.get(name)
    fact.equal(kept.vocabulary("f32", set).store("p", "v"), set.V.store("p", "v"))
    fact.equal(kept.vocabulary("f32", set).cast("p"), "p")
    for _, word in ipairs(formats.rows()) do
      local format = formats.of_rows(word).name
      local texts = table.concat(kept.needs(format, set, true).helpers)
      for helper in kept.vocabulary(format, set).store("p", "v"):gmatch("(vec_[%w_]+)%(") do
        assert(helper == "vec_round" or texts:find(" " .. helper .. "(", 1, true), helper)
      end
    end
  end
end)

fact.holds("rows are kept in single elements, and their scales in a format that vectors are loaded from", function()
  local header = assert(fs.read("runtime/include/genattn/tensor.h"))
  for _, word in ipairs(formats.rows()) do
    local t = formats.of_rows(word)
    assert(not t.group and (not t.scales or formats.get(t.scales).load), word)
    fact.contains(header, ("X(%s, "):format(formats.enum_of_rows(word)))
  end
  fact.equal(formats.of_rows(nil), nil)
end)

fact.holds("a format that is not known is a bug of the caller", function()
  local ok, why = pcall(formats.get, "f31")
  assert(not ok and why:find("no number format is called 'f31'", 1, true), why)
end)

fact.holds("parts of a layout begin at cache lines, one after the other", function()
  local layout = packed.new()
  packed.add(layout, "a", 3, "f32")
  local f = { bytes = 4 * 5 * 16, dtype = "f32" }
  f.choices = { f, { bytes = 3, suffix = "_i16", fills = "other" } }
  packed.add_product(layout, "b", f, 16, function(choice) return choice.fills or "first" end)
  packed.add_bytes(layout, "c", 65)
  local places = {}
  for i, part in ipairs(layout.parts) do places[i] = ("%s %d %d"):format(part.name, part.offset, part.bytes) end
  fact.lists_equal(places, { "a 0 12", "b 64 320", "b_bias 384 64", "b_i16 448 3", "c 512 65" })
  fact.equal(layout.parts[2].fills .. " " .. layout.parts[4].fills, "first other")
  fact.equal(layout.bytes, 640)
end)

fact.holds("a model says how it keeps its token rows, whatever the format, if it takes tokens", function()
  local embedding = require "attention.embedding"
  for word, enum in pairs({ f32 = "F32", bf16 = "BF16", int8 = "I8" }) do
    fact.equal(embedding.properties({ vocab_size = 9, embedding_dtype = word })[1][2], enum)
  end
  fact.equal(embedding.properties({ embedding_dtype = "f32" })[1][2], nil)
end)

fact.finish()
