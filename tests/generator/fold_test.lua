-- fold_test.lua: long lines of generated C are broken where a reader would break them, and short ones stay.
local fact = dofile("tests/generator/fact.lua")
local fold = require "emit.fold"

local LONG = ("a"):rep(50)

local function folded(...)
  local lines = {}
  for line in fold.text(table.concat({ ... }, "\n") .. "\n"):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
  return lines
end

fact.holds("a short line stays, and one of the preprocessor", function()
  fact.lists_equal(folded("int x; // of all", "", "    y();"), { "int x; // of all", "", "    y();" })
  local define = "#define X " .. LONG .. LONG .. LONG
  fact.lists_equal(folded(define), { define })
end)

fact.holds("code is broken after a comma, least nested and last, and aligned with its bracket", function()
  fact.lists_equal(folded("    call(f(1, 2), " .. LONG .. ", " .. LONG .. ", third);"),
    { "    call(f(1, 2), " .. LONG .. ",", "         " .. LONG .. ", third);" })
  fact.lists_equal(folded("    const float x = " .. LONG .. " + " .. LONG .. " + " .. LONG .. ";"),
    { "    const float x = " .. LONG .. " +", "        " .. LONG .. " + " .. LONG .. ";" })
end)

fact.holds("strings are not broken, and commas in them are none", function()
  local line = '    {"' .. LONG .. ", " .. LONG .. ", " .. LONG .. '", 1},'
  fact.lists_equal(folded(line), { line })
end)

fact.holds("a long comment is broken between words with what follows of it", function()
  fact.lists_equal(folded("    // " .. LONG .. " " .. LONG .. " of ever so many", "    // words.", "    x();"),
    { "    // " .. LONG .. " " .. LONG .. " of ever so", "    // many words.", "    x();" })
end)

fact.holds("the comment after code that is too long comes before it", function()
  fact.lists_equal(folded("    int x; // " .. LONG .. " " .. LONG .. " and more"),
    { "    // " .. LONG .. " " .. LONG .. " and more", "    int x;" })
end)

fact.finish()
