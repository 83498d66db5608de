-- elementary_test.lua: that what the generator computes does not rest on the C library: its own logarithms and powers
-- of two have their values, and no other file calls the library's.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local elementary = require "base.elementary"

-- The doubles next to the exact values, by mpmath.
local LOGARITHMS = {
  { 2, 0x1.62e42fefa39efp-1 }, { 10, 0x1.26bb1bbb55516p+1 }, { 0x1.999999999999ap-4, -0x1.26bb1bbb55515p+1 },
  { 0x1.000001ad7f29bp+0, 0x1.ad7f2847b6492p-24 }, { 0x1.6a09e65dc27dfp-1, -0x1.62e4300c77ae8p-2 },
  { 0x1.6a09e7098ef50p+0, 0x1.62e431b8bb196p-2 }, { 0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9 },
}

fact.holds("logarithms are right within two units of the last place", function()
  fact.equal(elementary.log(1), 0)
  for _, pair in ipairs(LOGARITHMS) do
    local found = elementary.log(pair[1])
    assert(math.abs(found / pair[2] - 1) <= 2 ^ -51, ("%.17g: %.17g"):format(pair[1], found))
  end
end)

fact.holds("powers of two are exact where they are whole, and else within four units of the last place", function()
  for n = -60, 60 do fact.equal(elementary.exp2(n), n < 0 and 1 / 2 ^ -n or 2 ^ n) end
  fact.equal(elementary.exp2(0.5), 0x1.6a09e667f3bcdp+0)
  fact.equal(elementary.exp2(-0.5), 0x1.6a09e667f3bcdp-1)
  for _, pair in ipairs({ { 0.25, 0x1.306fe0a31b715p+0 }, { -7.9375, 0x1.0b5586cf9890fp-8 },
    { -0.0078125, 0x1.fd3c22b8f71f1p-1 } }) do
    assert(math.abs(elementary.exp2(pair[1]) / pair[2] - 1) <= 2 ^ -50, pair[1])
  end
end)

fact.holds("no file of the generator calls what each C library rounds in its own way", function()
  local output, code = compat.capture("grep -rnE 'math\\.(a?(sin|cos|tan)h?|exp|log|log10|pow)\\b' generator templates")
  fact.equal(output, "")
  fact.equal(code, 1)
end)

fact.finish()
