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

fact.holds("nearest takes no other word of few letters for a misspelling", function()
  local types = { "bert", "gpt2", "n_heads", "mha" }
  for _, word in ipairs({ "albert", "hubert", "camembert", "kv_headz", "gemma", "heap", "mp" }) do
    fact.equal(text.nearest(word, types), nil)
  end
  fact.equal(text.nearest("bret", types), "bert")
  fact.equal(text.nearest("vocab_sise_of_tokenz", { "vocab_size_of_tokens" }), "vocab_size_of_tokens")
  fact.equal(text.nearest("abcdefghijklmnopqrst", { "efghijklmnopqrst" }), nil)
end)

fact.holds("nearest completes a word that is the beginning or the end of one", function()
  local fields = { "n_kv_heads", "n_heads", "seq_len", "mask.lengths", "d_model" }
  fact.equal(text.nearest("kv_heads", fields), "n_kv_heads")
  fact.equal(text.nearest("heads", fields), "n_heads")
  fact.equal(text.nearest("seq", fields), "seq_len")
  fact.equal(text.nearest("lengths", fields), "mask.lengths")
  fact.equal(text.nearest("--model", { "--help", "--d-model" }), "--d-model")
  fact.equal(text.nearest("eads", fields), nil)
  fact.equal(text.misspelt("heads", fields), nil)
end)

fact.holds("printable leaves nothing in a line that a terminal does not show", function()
  fact.equal(text.printable("a-z, Käse, 文, \240\159\152\128"), "a-z, Käse, 文, \240\159\152\128")
  fact.equal(text.printable("\27[2J\127\n"), [[\x1b[2J\x7f\x0a]])
  fact.equal(text.printable("a\194\155b"), [[a\xc2\x9bb]])
  fact.equal(text.printable("\226\128\174x\226\129\166"), [[\xe2\x80\xaex\xe2\x81\xa6]])
  fact.equal(text.printable("\226\128\139\239\187\191"), [[\xe2\x80\x8b\xef\xbb\xbf]])
  fact.equal(text.printable("\243\160\129\129"), [[\xf3\xa0\x81\x81]])
  fact.equal(text.printable("\255\192\128\237\160\128\226\128"), [[\xff\xc0\x80\xed\xa0\x80\xe2\x80]])
  fact.equal(text.printable("\244\144\128\128"), [[\xf4\x90\x80\x80]])
end)

fact.holds("nearest takes the first of equals", function()
  fact.equal(text.nearest("abc", { "abd", "abe" }), "abd")
end)

fact.holds("a word of any length is told from short ones at once", function()
  fact.equal(fact.within_steps(text.nearest, ("x"):rep(1e6), { "kind", ("x"):rep(20) }), nil)
end)

fact.holds("first keeps the first messages and counts the rest", function()
  fact.lists_equal(text.first({ "a", "b" }, 2), { "a", "b" })
  fact.lists_equal(text.first({ "a", "b", "c", "d" }, 2), { "a", "b", "and 2 more like this" })
end)

fact.holds("what was raised is text, be it a list of messages", function()
  for raised, said in pairs({ ["a: b"] = "a: b", [{ "one", "two" }] = "one; two", [{ message = "m" }] = "m" }) do
    local ok, why = xpcall(function() error(raised, 0) end, text.traceback)
    fact.equal(ok, false)
    fact.equal(why:match("^[^\n]*"), said)
    fact.contains(why, "stack traceback")
  end
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
  fact.equal(text.join_some({ "a", "b" }, 2), "a and b")
  fact.equal(text.join_some({ "a", "b", "c", "d" }, 2), "a, b and 2 more")
end)

fact.finish()
