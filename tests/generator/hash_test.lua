-- hash_test.lua: a text's number is the same in every Lua, and another for another text.
local fact = dofile("tests/generator/fact.lua")
local hash = require "base.hash"

fact.holds("numbers are those written here, whatever the Lua", function()
  fact.equal(hash.hex(""), "0000000000000000")
  fact.equal(hash.hex("a"), "00704243007f8479")
  fact.equal(hash.hex("abc"), "008f292c00bcefce")
  fact.equal(hash.hex(("packed weights\n"):rep(1000)), "2d81b75715650052")
end)

fact.holds("a byte changed, moved, added or left out gives another number", function()
  local text, seen = ("float *panels = block + PACKED_HEADS;\n"):rep(20), {}
  local function see(s)
    local number = hash.hex(s)
    assert(not seen[number] or seen[number] == s, "two texts have the number " .. number)
    seen[number] = s
  end
  see(text)
  for i = 1, #text do
    see(text:sub(1, i - 1) .. "\0" .. text:sub(i + 1))
    see(text:sub(1, i) .. "\0" .. text:sub(i + 1))
    see(text:sub(1, i - 1) .. text:sub(i + 1) .. "\1")
    see(text:sub(1, i))
  end
end)

fact.finish()
