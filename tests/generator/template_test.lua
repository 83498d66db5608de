-- template_test.lua: the template engine: what is rendered, and that every error names the template's own line.
local fact = dofile("tests/generator/fact.lua")
local fs = require "base.fs"
local template = require "template"

local function render(source, env)
  local compiled = assert(template.compile(source, "t.lt"))
  return compiled(env or {})
end

local function compile_error(source)
  local compiled, why = template.compile(source, "t.lt")
  assert(compiled == nil)
  return why
end

local function render_error(source, env)
  local text, why = render(source, env)
  fact.equal(text, nil)
  return why
end

-- -- What is rendered -----------------------------------------------------------------------------------------------

fact.holds("text stays as it is", function()
  local text = 'printf("%d\\n", x); // \\ $ {} $x "\t"\n\n}\n'
  fact.equal(render(text), text)
end)

fact.holds("the last line ends, with or without a newline in the template", function()
  fact.equal(render("a"), "a\n")
  fact.equal(render("a\n"), "a\n")
  fact.equal(render("a\n\n"), "a\n\n")
end)

fact.holds("carriage returns of the line ends are dropped", function()
  fact.equal(render("a\r\n$ local x = 1\r\n${x}\r\n"), "a\n1\n")
end)

fact.holds("a template of Lua alone renders nothing", function()
  fact.equal(render("$ local x = 1\n"), "")
end)

fact.holds("lines of Lua run, may be indented, and see each other's locals", function()
  fact.equal(render("$ local n = 2\n$ for i = 1, n do\n  x${i};\n  $ if i == 2 then\n  y\n  $ end\n$ end\n$\n"),
    "  x1;\n  x2;\n  y\n")
end)

fact.holds("a statement may run over several lines", function()
  fact.equal(render("$ local t = {\n$   1, 2,\n$ }\n${t[2]}"), "2\n")
end)

fact.holds("splices take strings and whole numbers", function()
  fact.equal(render("a${x}b${y}c", { x = "-", y = 64 / 8 }), "a-b8c\n")
end)

fact.holds("expressions may hold braces and strings with braces", function()
  fact.equal(render([==[<${({ 7, 8 })[2]}><${'}'}><${"\"}{"}><${[=[}]]]=]}>]==]), '<8><}><"}{><}]]>\n')
end)

fact.holds("builtins are there, env comes first", function()
  fact.equal(render("${f32(0.5)} ${int(3)} ${c_string('a')} ${comment('*/')}"), '0.5f 3 "a" * /\n')
  fact.equal(render("${int}", { int = "own" }), "own\n")
end)

fact.holds("a splice alone on its line indents every line it brings", function()
  fact.equal(render("{\n    ${body}\n}", { body = "a;\n\n  b;\n" }), "{\n    a;\n\n      b;\n}\n")
end)

fact.holds("a splice alone that brings nothing leaves no line", function()
  fact.equal(render("a\n  ${nothing}\nb", { nothing = "" }), "a\nb\n")
  fact.equal(render("a\n${newline}\nb", { newline = "\n" }), "a\n\nb\n")
end)

fact.holds("a template may render another, and itself again", function()
  local inner = assert(template.compile("<${x}>", "inner.lt"))
  fact.equal(render("  ${include(1)}\n  ${include(2)}", { include = function(x) return inner({ x = x }) end }),
    "  <1>\n  <2>\n")
  local countdown
  countdown = assert(template.compile("${n}\n$ if n > 0 then\n${again(n - 1)}\n$ end", "countdown.lt"))
  local function again(n) return countdown({ n = n, again = again }) end
  fact.equal(again(2), "2\n1\n0\n")
end)

fact.holds("one compiled template renders any number of times, apart from each other", function()
  local compiled = assert(template.compile("${x}", "t.lt"))
  fact.equal(compiled({ x = 1 }), "1\n")
  fact.equal(compiled({ x = 2 }), "2\n")
end)

fact.holds("load reads a file and shows its path, or the name given", function()
  local path = fact.folder("template") .. "a.c.lt"
  assert(fs.write_if_changed(path, "ok\n${missing}\n"))
  local _, why = assert(template.load(path))({})
  fact.equal(why, path .. ":2: undefined template name 'missing'")
  _, why = assert(template.load(path, "templates/a.c.lt"))({})
  fact.equal(why, "templates/a.c.lt:2: undefined template name 'missing'")
  local absent
  absent, why = template.load(path .. ".absent")
  fact.equal(absent, nil)
  fact.contains(why, path .. ".absent")
end)

-- -- Errors ---------------------------------------------------------------------------------------------------------

fact.holds("an unknown name is an error on its line", function()
  local why = render_error("a\n$ for i = 1, 2 do\nb\n$ end\n\n  x = ${mrr};\n", { mr = 2 })
  fact.equal(why, "t.lt:6: undefined template name 'mrr'")
end)

fact.holds("an unknown name in a line of Lua is one too", function()
  fact.equal(render_error("a\n$ local x = nope\n"), "t.lt:2: undefined template name 'nope'")
end)

fact.holds("a name that is assigned must be local", function()
  fact.equal(render_error("a\n$ x = 1"), "t.lt:2: template name 'x' is assigned but not local")
end)

fact.holds("floats and other values cannot be spliced", function()
  fact.equal(render_error("a\nx ${0.5}"), "t.lt:2: cannot splice number 0.5 (floats go through f32())")
  fact.equal(render_error("a\n${0.5}"), "t.lt:2: cannot splice number 0.5 (floats go through f32())")
  fact.contains(render_error("${1/0}"), "t.lt:1: cannot splice number")
  fact.equal(render_error("a\n\n${x}", { x = true }), "t.lt:3: cannot splice boolean true")
  fact.equal(render_error("x ${nil}"), "t.lt:1: cannot splice nil nil")
end)

fact.holds("several lines do not fit into the middle of one", function()
  fact.equal(render_error("a\n// ${x}", { x = "b\nint c;" }),
    "t.lt:2: cannot splice several lines into the middle of a line")
end)

fact.holds("errors of Lua carry the template's line", function()
  fact.contains(render_error("a\nb\n${x.y.z}", { x = {} }), "t.lt:3: attempt to index")
  fact.equal(render_error("a\n$ error('told so')", { error = error }), "t.lt:2: told so")
  fact.contains(render_error("a\n$ error({})", { error = error }), "t.lt:2: table: ")
end)

fact.holds("an error in a function the template calls names the call's line first", function()
  local function fail() error("no such tile", 0) end
  fact.equal(render_error("a\n\nx ${f()}", { f = fail }), "t.lt:3: no such tile")
  local function fail_with_position() error("no such tile") end
  fact.contains(render_error("a\n\nx ${f()}", { f = fail_with_position }), "t.lt:3: ")
end)

fact.holds("an error in an inner template names both lines", function()
  local inner = assert(template.compile("\n${y}", "inner.lt"))
  local function include()
    local text, why = inner({})
    if not text then error(why, 0) end
    return text
  end
  fact.equal(render_error("a\n${include()}", { include = include }),
    "t.lt:2: inner.lt:2: undefined template name 'y'")
end)

fact.holds("wrong Lua is an error when compiling, on its line", function()
  fact.contains(compile_error("a\n$ local = 1\nb"), "t.lt:2: ")
  fact.contains(compile_error("a\n$ for i = 1, 2 do\nb\n"), "'end' expected")
  fact.contains(compile_error("a\nx ${y z}"), "t.lt:2: bad splice '${y z}'")
  fact.contains(compile_error("a\nx ${}"), "t.lt:2: bad splice '${}'")
  fact.contains(compile_error("a\nx ${a, b}"), "t.lt:2: bad splice '${a, b}'")
  fact.equal(compile_error("a\n\nx ${y"), "t.lt:3: '${' without its '}'")
  fact.contains(compile_error("\nx ${'}"), "t.lt:2: bad splice '${'}': unfinished string")
end)

fact.holds("a splice cannot smuggle in a comment or close its brackets", function()
  fact.contains(compile_error("${x) .. (y}"), "bad splice")
  fact.contains(compile_error("a ${x -- why}"), "bad splice")
end)

fact.holds("long paths are shown whole", function()
  local path = ("folder/"):rep(20) .. "t.lt"
  local _, why = assert(template.compile("\n${x}", path))({})
  fact.equal(why, path .. ":2: undefined template name 'x'")
  _, why = template.compile("$ local = 1", path)
  fact.equal(why:sub(1, #path + 4), path .. ":1: ")
end)

-- -- Stages ---------------------------------------------------------------------------------------------------------

local KNOWN = { head = true, pack = true }

local function stages_error(source)
  local renders, why = template.compile_stages(source, "t.lt", KNOWN)
  fact.equal(renders, nil)
  return why
end

fact.holds("a file of fragments has a template for each stage, with the Lua before the first in all of them", function()
  local renders, stages = template.compile_stages("$ local two = x * 2\n\n$$ stage: pack\na ${two}\n\n" ..
    "$$ stage: head\n$ if two > 4 then\nb\n$ end\n", "t.lt", KNOWN)
  fact.lists_equal(stages, { "pack", "head" })
  fact.equal(renders.pack({ x = 1 }), "a 2\n\n")
  fact.equal(renders.head({ x = 1 }), "")
  fact.equal(renders.head({ x = 3 }), "b\n")
end)

fact.holds("an error in a stage has the line of the file", function()
  local renders = template.compile_stages("$$ stage: pack\na\n$$ stage: head\nb\n${nope}\n", "t.lt", KNOWN)
  local _, why = renders.head({})
  fact.equal(why, "t.lt:5: undefined template name 'nope'")
  fact.contains(stages_error("$$ stage: pack\na\n$$ stage: head\n${b\n"), "t.lt:4: '${' without its '}'")
end)

fact.holds("a stage that is unknown, twice there, misspelt or without a beginning is an error with its line", function()
  fact.equal(stages_error("\n$$ stage: hed\na\n"), "t.lt:2: no template has a stage 'hed'")
  fact.equal(stages_error("$$ stage: head\na\n$$ stage: head\n"), "t.lt:3: stage 'head' again, after line 1")
  for _, line in ipairs({ "$$ head", "$$ stage head", "  $$ stage: head", "$$ stage: head ", "$$" }) do
    fact.equal(stages_error(line .. "\na\n"), "t.lt:1: a stage begins with a line '$$ stage: NAME'")
  end
  fact.equal(stages_error("$ local x = 1\na\n$$ stage: head\n"), "t.lt:2: text before the first stage")
end)

fact.holds("a template that is no file of fragments has no stages", function()
  local compiled, why = template.compile("a\n$$ stage: head\n", "t.lt")
  fact.equal(compiled, nil)
  fact.equal(why, "t.lt:2: '$$' begins a stage, which only files of fragments have")
end)

fact.finish()
