-- sandbox_test.lua: what a spec file may hold, and that nothing in one ever runs.
local fact = dofile("tests/generator/fact.lua")
local sandbox = require "schema.sandbox"

local NO_VALUE = " is not a value; a string must be in quotes, and a field that is not given is left out"
local DATA = "cannot be in a spec, which is data: fields, numbers, plain strings, true, false and {}"

local function reads(source)
  local value, why = sandbox.read(source)
  if not value then error(why, 2) end
  return value
end

-- Reading the source gives just this message.
local function refuses(source, message)
  local value, why = sandbox.read(source)
  fact.equal(value, nil)
  fact.equal(why, message)
end

-- -- What may stand in a spec ---------------------------------------------------------------------------------------

fact.holds("a table, with return or without, with comments around", function()
  for _, source in ipairs({
    "{ a = 1 }", "return { a = 1 }", "return{a=1}", "return { a = 1; };\n", "-- why\nreturn -- what\n{ a = 1 } -- done",
    "--[[ long\n]] { --[==[ ]] ]==] a --\n = --[[]] 1 }", "--[==[\nwhile true do end\n]==]{a=1}", "\r\n{\ra\r\n=\r1}\r",
  }) do
    fact.equal(reads(source).a, 1)
  end
end)

fact.holds("fields and items, separated by commas or semicolons, nested", function()
  local t = reads('{ a = { b = { "x", \'y\' }; }, c = {}, "z"; 5 }')
  assert(t.a.b[1] == "x" and t.a.b[2] == "y" and next(t.c) == nil and t[1] == "z" and t[2] == 5)
end)

fact.holds("strings are what is between the quotes", function()
  local t = reads([[{ a = "it's", b = 'say "so"', c = "", d = "-- no comment", e = "]] .. "\195\169\t" .. [[" }]])
  assert(t.a == "it's" and t.b == 'say "so"' and t.c == "" and t.d == "-- no comment" and t.e == "\195\169\t")
end)

fact.holds("numbers are the doubles that decimal digits say", function()
  local t = reads("{ 512, -0.5, .25, 3., 1e3, 1E-3, 9007199254740993, -0, 1e400 }")
  for i, expected in ipairs({ 512, -0.5, 0.25, 3, 1000, 0.001, 2 ^ 53, 0, 1 / 0 }) do fact.equal(t[i], expected) end
end)

fact.holds("false is a value, not an absent one", function()
  local t = reads("{ a = false, b = true, false }")
  assert(t.a == false and t.b == true and t[1] == false)
end)

-- -- What may not ---------------------------------------------------------------------------------------------------

fact.holds("calls are refused where they start", function()
  refuses('{ a = ("x"):rep(1e9) }', 'line 1: "(" ' .. DATA)
  refuses('{\n a = "x",\n b = ("x")}', 'line 3: "(" ' .. DATA)
  refuses("{ a = f() }", 'line 1: "f"' .. NO_VALUE)
  refuses("{ f {} }", 'line 1: "f"' .. NO_VALUE)
  refuses("{ f 'x' }", 'line 1: "f"' .. NO_VALUE)
  refuses("return name {}", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found "name"')
  refuses("{} {}", 'line 1: "{" after the table, with which a spec ends')
  refuses("{}()", 'line 1: "(" after the table, with which a spec ends')
  refuses('{ a = "x":rep(9) }', 'line 1: ":" ' .. DATA)
end)

fact.holds("names are no values, so none is silently absent", function()
  for _, word in ipairs({ "top_left", "nil", "_G", "os", "function", "while", "TRUE" }) do
    refuses("{ a = " .. word .. " }",
      ('line 1: "%s"' .. NO_VALUE):format(word))
  end
end)

fact.holds("expressions are refused at their operator", function()
  for _, operator in ipairs({ "+", "-", "*", "/", "%", "^", "#", "<", ">", "~", ".", "&", "|", ":" }) do
    refuses("{ a = 5 " .. operator .. " 2 }", ('line 1: "%s" %s'):format(operator, DATA))
  end
  refuses("{ a = 0/0 }", 'line 1: "/" ' .. DATA)
  refuses("{ a == 5 }", 'line 1: "=" ' .. DATA)
  refuses("{ a = 1 or 2 }", 'line 1: expected "," or "}" before "or"')
  refuses("{ a = -b }", 'line 1: "-" ' .. DATA)
  refuses("{ a = 'x' .. 'y' }", 'line 1: "." ' .. DATA)
  refuses("{ [1] = 2 }", 'line 1: "[" ' .. DATA)
  refuses("{ a = [[x]] }", 'line 1: "[" ' .. DATA)
end)

fact.holds("statements are refused", function()
  refuses("while true do end", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found "while"')
  refuses("local x = 1 return {}", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found "local"')
  refuses("::a:: goto a", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found ":"')
  refuses("return", "line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found the end of the file")
  refuses("", "line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found the end of the file")
  refuses("returned {}", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found "returned"')
  refuses("return { a = 1 }, { b = 2 }", 'line 1: "," after the table, with which a spec ends')
  refuses("{ a = 1 }\nos.execute('true')", 'line 2: "os" after the table, with which a spec ends')
end)

fact.holds("a lone carriage return ends a comment, so it hides nothing", function()
  refuses('{ -- x\ra = ("x"):rep(1e9) }', 'line 2: "(" ' .. DATA)
  refuses("{} -- x\rwhile true do end", 'line 2: "while" after the table, with which a spec ends')
end)

fact.holds("numbers that the Luas read differently are none", function()
  for _, number in ipairs({ "0x10", "0x10000000000000200", "10LL", "5i", "1e", "1..2..3", "1.2.3", "5x", "1e5e5",
    "1_000" }) do
    refuses("{ a = " .. number .. " }", ('line 1: "%s" is not a decimal number'):format(number))
  end
  refuses("{ a = 1..512 }", 'line 1: a range is a string: "1..512"')
end)

fact.holds("a field is given once", function()
  refuses("{ a = 1, b = 2,\n a = 3 }", "line 2: a is given twice")
  refuses("{ a = false, a = false }", "line 1: a is given twice")
end)

fact.holds("strings and comments must end, on the line where they started, and hold no escapes", function()
  refuses('{ a = "x', "line 1: this string is never closed")
  refuses('{ a = "x\n" }', "line 1: this string is never closed")
  refuses("{ a = 'x\r' }", "line 1: this string is never closed")
  refuses('{ a = "x\\n" }', "line 1: a string of a spec holds no backslash")
  refuses('{ a = "x\\\n" }', "line 1: a string of a spec holds no backslash")
  refuses("{}\n--[[ x", "line 2: this comment is never closed")
  refuses("{}\n--[==[ x ]] ]=]", "line 2: this comment is never closed")
end)

fact.holds("braces must match, and the message names the one that does not", function()
  refuses("{\n a = {\n", 'line 2: this "{" is never closed')
  refuses("{ a = 1", 'line 1: this "{" is never closed')
  refuses("{ a = ", "line 1: the end of the file " .. DATA)
  refuses("{ a = 1 } }", 'line 1: "}" after the table, with which a spec ends')
  refuses("{ a = 1 b = 2 }", 'line 1: expected "," or "}" before "b"')
  refuses("{ , }", 'line 1: "," ' .. DATA)
end)

fact.holds("foreign bytes are named, not printed", function()
  refuses("\27Lua\84\0", "line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found a byte 27")
  refuses("\239\187\191{}", 'line 1: expected a table, { d_model = 512, n_heads = 8, ... }, found "\239\187\191"')
  refuses("{ a = \0 }", "line 1: a byte 0 " .. DATA)
  refuses("{ a = \226\128\156x\226\128\157 }", 'line 1: "\226\128\156" ' .. DATA)
  refuses("{ a = \200 }", "line 1: a byte 200 " .. DATA)
end)

-- -- Limits ---------------------------------------------------------------------------------------------------------

fact.holds("nesting has a limit", function()
  assert(sandbox.read(("{"):rep(16) .. ("}"):rep(16)))
  refuses(("{"):rep(17) .. ("}"):rep(17), "line 1: nested deeper than 16")
  refuses(("{"):rep(60000), "line 1: nested deeper than 16")
end)

fact.holds("files and words have a limit", function()
  refuses("{}" .. (" "):rep(65535), "longer than 65536 bytes, which no spec is")
  assert(sandbox.read("{}" .. (" "):rep(65534)))
  local word = ("a"):rep(65)
  refuses("{ " .. word .. " = 1 }", ('line 1: "%s..." %s'):format(word:sub(1, 64), DATA))
end)

-- -- Nothing runs ---------------------------------------------------------------------------------------------------

-- Texts that would call witness, or never end, if any part of them ran.
local HOSTILE = {
  "witness()", "return witness()", "{ witness() }", "{ a = witness {} }", "{ witness 'x' }", "{ a = witness'x' }",
  "{ a = (function() witness() end)() }", "{ -- x\ra = witness() }", "{ -- x\r\n a = witness() }", "{} witness()",
  "--[[\r]] witness() {}", "--[==[ ]] witness() --]==]\n{}", "--[[ ]] --[[ ]]\rwitness()", "return {} -- ]]\rwitness()",
  "{ a = [[x]] .. witness() }", "#!/usr/bin/lua\nwitness()", "{ a = 'x\\\n' .. witness() }", "while true do end",
  "{ a = (function() while true do end end)() }", "goto x ::x:: goto x", "{ ('x'):rep(1e9) }", "repeat until false",
  "for i = 1, 1 / 0 do end", "{ a = setmetatable({}, { __index = witness }).x }", string.dump(function() end),
}

fact.holds("no hostile text runs, whatever comes of it", function()
  local called = false
  rawset(_G, "witness", function() called = true end)
  for _, source in ipairs(HOSTILE) do
    sandbox.read(source)
    assert(not called, source)
  end
  rawset(_G, "witness", nil)
end)

fact.holds("no text is ever given to Lua", function()
  local compilers = { "load", "loadstring", "loadfile", "dofile" }
  local kept = {}
  for _, name in ipairs(compilers) do
    kept[name] = _G[name]
    rawset(_G, name, _G[name] and function() error(name .. " was called") end)
  end
  local ok, why = pcall(function()
    for _, source in ipairs(HOSTILE) do sandbox.read(source) end
    fact.equal(reads("return { a = { 1, true } }").a[1], 1)
  end)
  for _, name in ipairs(compilers) do rawset(_G, name, kept[name]) end
  if not ok then error(why, 0) end
end)

fact.holds("any cut of a good spec is read or refused, never an error", function()
  local source = "-- c\nreturn { a = 'x', b = { -1.5e3, true }; --[[ d ]] c = \"1..5\", }"
  for from = 1, #source do
    for to = from, #source do
      local value, why = sandbox.read(source:sub(from, to))
      assert(value or type(why) == "string" and why:find("^line %d+: "), why)
    end
  end
end)

fact.finish()
