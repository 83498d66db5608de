-- fmt_test.lua: values written for C, sh and ninja come back as they were.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"

fact.holds("int writes whole numbers, whatever their Lua type", function()
  fact.equal(fmt.int(64 / 8), "8")
  fact.equal(fmt.int(-0.0), "0")
  fact.equal(fmt.int(-12), "-12")
  fact.equal(fmt.int(2 ^ 53), "9007199254740992")
end)

fact.holds("int refuses what is not whole", function()
  fact.raises("not a whole number: 3.5", fmt.int, 3.5)
  fact.raises("not a whole number", fmt.int, math.huge)
  fact.raises("not a whole number", fmt.int, 0 / 0)
  fact.raises("not a whole number", fmt.int, 2 ^ 54)
  fact.raises("not a whole number", fmt.int, "8")
end)

fact.holds("f32 writes C literals", function()
  local cases = {
    { 1, "1.0f" }, { 0.125, "0.125f" }, { -2, "-2.0f" }, { 0, "0.0f" }, { -0.0, "-0.0f" },
    { 2 ^ 100, "1.2676506e+30f" }, { 1e9, "1e+09f" }, { math.huge, "INFINITY" }, { -math.huge, "-INFINITY" },
    { 0 / 0, "NAN" },
  }
  for _, case in ipairs(cases) do fact.equal(fmt.f32(case[1]), case[2]) end
end)

fact.holds("f32 rounds to the nearest float, ties to even", function()
  local ulp = 2 ^ -23
  fact.equal(fmt.f32(1 + ulp / 2), "1.0f")
  fact.equal(fmt.f32(1 + ulp * 1.5), fmt.f32(1 + 2 * ulp))
  fact.equal(fmt.f32(1 + ulp / 2 + 2 ^ -52), fmt.f32(1 + ulp))
  fact.equal(fmt.f32(-1 - ulp / 2), "-1.0f")
  fact.equal(fmt.f32(2 ^ -149 * 1.5), fmt.f32(2 ^ -148))
  fact.equal(fmt.f32(2 ^ -150), "0.0f")
end)

fact.holds("f32_rest is what f32 left", function()
  local ulp = 2 ^ -23
  fact.equal(fmt.f32_rest(1), "0.0f")
  fact.equal(fmt.f32_rest(1 + ulp / 4), fmt.f32(ulp / 4))
  fact.equal(fmt.f32_rest(1 + ulp * 0.75), fmt.f32(-ulp / 4))
end)

fact.holds("f32 gives digits nearer to their float than to any other", function()
  local x = 1
  for _ = 1, 2000 do
    x = (x * 16807) % 2147483647
    local ulp = 2 ^ (x % 200 - 120)
    local float = (2 ^ 23 + x % 2 ^ 23) * ulp
    local read = tonumber((fmt.f32(float):gsub("f$", "")))
    assert(math.abs(read - float) < ulp / 2, ("%.17g"):format(float))
  end
end)

fact.holds("f32 and double spell out what lies halfway between two decimals", function()
  fact.equal(fmt.f32(2 ^ -13), "0.0001220703125f")
  fact.equal(fmt.f32(-3 * 2 ^ -13), "-0.0003662109375f")
  fact.equal(fmt.double(123 + 2 ^ -14), "123.00006103515625")
  fact.equal(fmt.double(123 + 2 ^ -15), "123.000030517578125")
end)

fact.holds("double gives the shortest decimal that reads back", function()
  local cases = { { 0.1, "0.1" }, { 1 / 3, "0.3333333333333333" }, { 512, "512" }, { -0.0, "0" }, { -2.5, "-2.5" },
    { 0.1 + 0.2, "0.30000000000000004" }, { 1e22, "1e+22" }, { 1 / 0, "inf" }, { -1 / 0, "-inf" }, { 0 / 0, "nan" } }
  for _, case in ipairs(cases) do fact.equal(fmt.double(case[1]), case[2]) end
  local x = 1
  for _ = 1, 2000 do
    x = (x * 16807) % 2147483647
    local double = x * 2 ^ (x % 200 - 100) / 3
    fact.equal(tonumber(fmt.double(double)), double)
  end
end)

fact.holds("fixed rounds halves up", function()
  fact.equal(fmt.fixed(6.25, 1), "6.3")
  fact.equal(fmt.fixed(1.0625, 3), "1.063")
  fact.equal(fmt.fixed(0.96, 1), "1.0")
  fact.equal(fmt.fixed(12.04, 1), "12.0")
  fact.equal(fmt.fixed(0, 2), "0.00")
end)

fact.holds("f32 refuses what float cannot hold", function()
  fact.raises("beyond the range of float", fmt.f32, 1e39)
  fact.raises("beyond the range of float", fmt.f32, -(2 ^ 128))
  fact.raises("not a number", fmt.f32, "1")
end)

fact.holds("c_string escapes what would end or change a literal", function()
  fact.equal(fmt.c_string('a"b\\c\n\t'), [["a\"b\\c\n\t"]])
  fact.equal(fmt.c_string("\0" .. "1"), [["\0001"]])
  fact.equal(fmt.c_string("\195\169"), [["\303\251"]])
  fact.equal(fmt.c_string("what???/"), [["what?\?\?/"]])
end)

fact.holds("comment keeps its text on one line and inside", function()
  fact.equal(fmt.comment("a\nint x;"), "a int x;")
  fact.equal(fmt.comment("a */ b /* c"), "a * / b / * c")
  fact.equal(fmt.comment("path\\  "), "path\\.")
  fact.equal(fmt.comment("what???/"), "what? ? ?/")
end)

fact.holds("sh reads sh_quote's words back", function()
  for _, word in ipairs({ "plain", "", "two words", "it's", "$HOME `id` \"x\" \\", "a\nb", "-n", "*", "~" }) do
    fact.equal(compat.capture("printf %s " .. fmt.sh_quote(word)), word)
  end
  fact.equal(fmt.sh_quote("a/b.c=1"), "a/b.c=1")
end)

fact.holds("ninja escapes cover dollars, and blanks and colons in paths", function()
  fact.equal(fmt.ninja_escape("a $x: b"), "a $$x: b")
  fact.equal(fmt.ninja_escape(" a"), "$ a")
  fact.equal(fmt.ninja_path("a b:c$d|e"), "a$ b$:c$$d$|e")
  fact.raises("control characters", fmt.ninja_escape, "a\nbuild x: y")
  fact.raises("control characters", fmt.ninja_path, "a\nb")
end)

fact.finish()
