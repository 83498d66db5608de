-- dtype_test.lua: element types of packed weights as tables of data, and where packed parts of any type lie.
local fact = dofile("tests/generator/fact.lua")
local dtype = require "dtype"
local fs = require "base.fs"
local groups = require "dtype.groups"
local isa = require "isa"
local packed = require "plan.packed"

fact.holds("every type is a table of what the contract lists", function()
  local known = { name = "string", bytes = "number", type = "string", from_float = "string", to_float = "string",
    load = "string", helpers = "string", store = "string", steps = "string", largest = "number", enum = "string" }
  local of_groups = { name = "string", bytes = "number", type = "string", group = "number", unit = "number",
    bits = "number", bias = "number", zero = "number", zero_steps = "number", scale = "table", facts = "number",
    column_bytes = "number" }
  local names = { "int8_rows" }
  for _, name in ipairs(dtype.names()) do names[#names + 1] = name end
  for _, name in ipairs(names) do
    local t = dtype.get(name)
    fact.equal(t.name, name)
    for field, value in pairs(t) do fact.equal(type(value), (t.group and of_groups or known)[field]) end
    for _, field in ipairs(t.group and { "unit" } or { "from_float", "to_float" }) do
      assert(t[field], field)
    end
  end
end)

fact.holds("a group's numbers have places of their own in a word, and its bytes are counted", function()
  for _, name in ipairs({ "int8", "int4" }) do
    local t, taken = dtype.get(name), {}
    for i = 0, t.unit - 1 do taken[groups.place(i, t.bits)] = true end
    for place = 0, t.unit - 1 do assert(taken[place], name) end
    fact.equal(t.unit * t.bits, 32)
    fact.equal(dtype.column_bytes(name, 32), t.facts + t.bits * 4)
    fact.equal(dtype.column_bytes(name, 33), 2 * dtype.column_bytes(name, 32))
  end
  fact.equal(dtype.column_bytes("int8", 32) * 8 / 32, 8.5)
  fact.equal(dtype.column_bytes("int4", 32) * 8 / 32, 4.5)
  fact.equal(dtype.column_bytes("bf16", 33), 66)
end)

fact.holds("a CPU is asked for what the compiler is told of, and the runtime knows that", function()
  local header = assert(fs.read("runtime/include/genattn/cpu.h"))
  for _, isa_name in ipairs(isa.names()) do
    local needs, flags = dtype.needs("int8", isa.get(isa_name)), {}
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
    local W = dtype.vocabulary("f32", set)
    fact.equal(W.load("p"), set.V.load("p"))
    fact.equal(W.from_float("x + y"), "x + y")
    fact.equal(W.bytes, 4)
  end
end)

fact.holds("a vector becomes elements on every instruction set, a vector of floats as these are stored", function()
  for _, name in ipairs(isa.names()) do
    local set = isa.get(name)
    fact.equal(dtype.vocabulary("f32", set).store("p", "v"), set.V.store("p", "v"))
    fact.equal(dtype.vocabulary("f32", set).cast("p"), "p")
    for _, of_rows in ipairs(dtype.rows()) do
      local type_name = dtype.of_rows(of_rows)
      local texts = table.concat(dtype.needs(type_name, set, true).helpers)
      for helper in dtype.vocabulary(type_name, set).store("p", "v"):gmatch("(vec_[%w_]+)%(") do
        assert(helper == "vec_round" or texts:find(" " .. helper .. "(", 1, true), helper)
      end
    end
  end
end)

fact.holds("rows are kept in types of single elements, or as numbers of steps of such a type", function()
  local header = assert(fs.read("runtime/include/genattn/tensor.h"))
  for _, name in ipairs(dtype.rows()) do
    local t = dtype.get(dtype.of_rows(name))
    assert(not t.group and (not t.steps or dtype.get(t.steps).load), name)
    fact.contains(header, ("X(%s, "):format(dtype.enum_of_rows(name)))
  end
  fact.equal(dtype.of_rows(nil), nil)
end)

fact.holds("a type that is not known is a bug of the caller", function()
  local ok, why = pcall(dtype.get, "f31")
  assert(not ok and why:find("no element type is called 'f31'", 1, true), why)
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

fact.finish()
