-- text_test.lua: suggestions, wrapping and lists for people.
local fact = dofile("tests/generator/fact.lua")
local text = require "base.text"

fact.holds("nearest finds misspellings", function()
  local flags = { "--heads", "--d-model", "--d-head", "--seq-len" }
  fact.equal(text.nearest("--d-modle", flags), "--d-model")
  fact.equal(text.nearest("--head", flags), "--heads")
  fact.equal(text.nearest("--seqlen", flags), "--seq-len")
  fact.equal(text.nearest("--heads", flags), "--heads")
end)

fact.holds("nearest says nothing of what is far from everything", function()
  fact.equal(text.nearest("--color", { "--heads", "--d-model" }), nil)
  fact.equal(text.nearest("q", { "bias", "heads" }), nil)
  fact.equal(text.nearest("x", {}), nil)
  fact.equal(text.nearest("", { "heads" }), nil)
end)

fact.holds("nearest takes the first of equals", function()
  fact.equal(text.nearest("ab", { "ac", "ad" }), "ac")
end)

fact.holds("a word of any length is told from short ones at once", function()
  local start = os.clock()
  fact.equal(text.nearest(("x"):rep(1e6), { "kind", ("x"):rep(20) }), nil)
  assert(os.clock() - start < 0.5)
end)

fact.holds("first keeps the first messages and counts the rest", function()
  fact.lists_equal(text.first({ "a", "b" }, 2), { "a", "b" })
  fact.lists_equal(text.first({ "a", "b", "c", "d" }, 2), { "a", "b", "and 2 more like this" })
end)

fact.holds("wrap breaks between words, within the width", function()
  fact.lists_equal(text.wrap("one two  three\nfour", 9), { "one two", "three", "four" })
  fact.lists_equal(text.wrap("one two", 9, 2), { "  one two" })
  fact.lists_equal(text.wrap("one two", 8, 2), { "  one", "  two" })
  fact.lists_equal(text.wrap("unbreakable a", 4), { "unbreakable", "a" })
  fact.lists_equal(text.wrap("", 10), {})
end)

fact.holds("join reads like a sentence", function()
  fact.equal(text.join({}), "")
  fact.equal(text.join({ "a" }), "a")
  fact.equal(text.join({ "a", "b" }), "a and b")
  fact.equal(text.join({ "a", "b", "c" }, "or"), "a, b or c")
end)

fact.finish()
