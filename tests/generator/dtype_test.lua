-- dtype_test.lua: element types of packed weights as tables of data, and where packed parts of any type lie.
local fact = dofile("tests/generator/fact.lua")
local dtype = require "dtype"
local isa = require "isa"
local packed = require "plan.packed"

fact.holds("every type is a table of what the contract lists", function()
  local known = { name = "string", bytes = "number", type = "string", from_float = "string", to_float = "string",
    load = "table", helpers = "string" }
  for _, name in ipairs(dtype.names()) do
    local t = dtype.get(name)
    fact.equal(t.name, name)
    for field, value in pairs(t) do fact.equal(type(value), known[field]) end
    for field in pairs({ bytes = true, type = true, from_float = true, to_float = true }) do assert(t[field], field) end
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

fact.holds("a type that is not known is a bug of the caller", function()
  local ok, why = pcall(dtype.get, "f31")
  assert(not ok and why:find("no element type is called 'f31'", 1, true), why)
end)

fact.holds("parts of a layout begin at cache lines, one after the other", function()
  local layout = packed.new()
  packed.add(layout, "a", 3, "f32")
  packed.add_linear(layout, "b", 4 * 5 * 16, 16, "f32")
  packed.add_bytes(layout, "c", 65)
  local places = {}
  for i, part in ipairs(layout.parts) do places[i] = ("%s %d %d"):format(part.name, part.offset, part.bytes) end
  fact.lists_equal(places, { "a 0 12", "b 64 320", "b_bias 384 64", "c 448 65" })
  fact.equal(layout.bytes, 576)
end)

fact.finish()
