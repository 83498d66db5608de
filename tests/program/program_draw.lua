-- program_draw.lua: what `draw` makes of attention, masks, lengths and labels; a part of program_test.lua.
-- Looks at the text of the picture; how it looks to an eye is not tested.
local files = require "program_files"
local tensor = files.tensor

local D = 8 -- of the fixture
local ENTITIES = { amp = true, lt = true, gt = true, quot = true, ["#39"] = true }

local function check_text(text)
  if text:find("[%z\1-\9\11-\31]") then return "a control character" end
  local plain = text:gsub("&([%w#]+);", function(entity) return ENTITIES[entity] and "" or nil end)
  return plain:find("&", 1, true) and "a stray &"
end

-- Takes the attributes of a tag away one by one; what is left must be nothing, or the slash that closes it.
local function check_tag(tag, open)
  local name, rest = tag:match("^([%w]+)(.*)$")
  if not name then return "a tag <" .. tag .. ">" end
  local left = rest:gsub("%s+[%w:-]+=\"([^\"<]*)\"", function(value) return check_text(value) and "?" or "" end)
  if left ~= "" and left ~= "/" then return "attributes <" .. tag .. ">" end
  if left == "" then open[#open + 1] = name end
end

-- What is wrong with text as XML, or nil.
local function flaw(text)
  local open, at = {}, 1
  while true do
    local from, to, tag = text:find("<([^>]*)>", at)
    local wrong = check_text(text:sub(at, (from or 0) - 1))
    if wrong then return wrong end
    if not from then break end
    if tag:sub(1, 1) == "/" then
      if table.remove(open) ~= tag:sub(2) then return "</" .. tag:sub(2) .. "> closes another" end
    else
      wrong = check_tag(tag, open)
      if wrong then return wrong end
    end
    at = to + 1
  end
  return open[1] and "<" .. open[1] .. "> is open at the end"
end

local function count(text, piece)
  local seen, at = 0, 1
  while true do
    at = text:find(piece, at, true)
    if not at then return seen end
    seen, at = seen + 1, at + #piece
  end
end

return function(path, expect_run, expect)
  local draw = "draw --weights %weights --input %in --output %map.svg"

  -- Draws with further options and expects pieces of text so many times each.
  local function expect_picture(options, pieces)
    os.remove(path "map.svg")
    expect_run(0, draw .. options, path "map.svg")
    local svg = files.slurp(path "map.svg")
    expect(not flaw(svg), "%s: not well-formed: %s", options, tostring(flaw(svg)))
    for piece, wanted in pairs(pieces) do
      expect(count(svg, piece) == wanted, "%s: %d times %s, expected %d", options, count(svg, piece), piece, wanted)
    end
    return svg
  end

  local function write(name, text)
    local out = assert(io.open(path(name), "wb"))
    out:write(text)
    out:close()
  end

  local function write_query(batch, rows, ...)
    files.write(path "in", { tensor("query", "F32", { batch, rows, D }, 1), ... })
  end

  local function test_cells()
    write_query(2, 4)
    expect_picture("", { ["<title>"] = 32, [": 0.25</title>"] = 32, [">0.25</text>"] = 32,
      ["<title>3 \226\134\146 0:"] = 2, [">head 0<"] = 1, [">head 1<"] = 1, ["sequence 0<"] = 1,
      [">attention weight<"] = 1, ["url(#masked)"] = 0 })
    expect_picture(" --head 1 --batch 1", { ["<title>"] = 16, [">head 0<"] = 0, ["sequence 1, head 1<"] = 1 })
  end

  local function test_masked()
    write_query(2, 4, tensor("q_lengths", "I64", { 2 }, { 4, 3 }),
      tensor("mask", "I32", { 4, 4 }, function(i) return i % 4 <= i / 4 and 1 or 0 end))
    expect_picture("", { [": masked</title>"] = 12, ["url(#masked)"] = 13, [">masked: mask<"] = 1, ["not drawn"] = 0 })
    expect_picture(" --batch 1", { ["<title>"] = 18, [": masked</title>"] = 6,
      ["; padding to 4 queries and 4 keys is not drawn<"] = 1, [": 1</title>"] = 2, [": 0.5</title>"] = 4 })
  end

  local function test_labels()
    write("words", "the\r\n<b>&\"quoted\"\n\230\157\177\228\186\172\nantidisestablishmentarianism\n")
    write_query(1, 4)
    expect_picture(" --tokens %words", { ["<b>"] = 0, [">&lt;b&gt;&amp;&quot;quoted&quot;<"] = 4, [">the<"] = 4,
      ["<title>the (0) \226\134\146 antidisestablishmentarianism (3): 0.25"] = 2,
      [">antidisestablishm\226\128\166<"] = 4 })
    write("keys", "one\ntwo")
    files.write(path "in", { tensor("query", "F32", { 4, D }, 1), tensor("key", "F32", { 2, D }, 1) })
    expect_picture(" --tokens %words --key-tokens %keys", { [">two<"] = 2, [">the<"] = 2, ["<title>"] = 16 })
    expect_picture(" --key-tokens %keys", { [">two<"] = 2, [">3<"] = 2 })
  end

  local function test_page()
    write("words", "a</script>\nb\n")
    write_query(1, 2)
    expect_run(0, "draw --weights %weights --input %in --output %map.html --tokens %words", "map.html")
    local html = files.slurp(path "map.html")
    expect(not flaw(html:match("<svg.*</svg>")), "the page's picture: %s", tostring(flaw(html:match("<svg.*</svg>"))))
    for _, piece in ipairs { '"values":[0.5,0.5,0.5,0.5]', '"states":"0000"',
                             '"labels":["a\\u003c/script\\u003e","b"]' } do
      expect(html:find(piece, 1, true), "the page has no %s", piece)
    end
    expect(count(html, "</script>") == 2, "a label ends the page's script")
  end

  local function test_refusals()
    write_query(2, 4, tensor("q_lengths", "I64", { 2 }, { 4, 0 }))
    local long = ("x"):rep(257)
    local refused = {
      { "a\nb\nc\n", "3 lines; expected 4" }, { "", "0 lines; expected 4" }, { "a\nb\nc\nd\n\n", "more than 4 lines" },
      { "a\n\tb\nc\nd", "line 2 holds the control character U+0009" }, { "a\0", "U+0000" }, { "a\nb\127", "U+007F" },
      { "a\n\194\133\n", "line 2 holds the control character U+0085" }, { "a\nb\nc\nd\226\130", "line 4 is not UTF-8" },
      { "\192\175", "line 1 is not UTF-8" }, { "a\n" .. long, "line 2 is longer than 256 bytes" },
      { "a\r\nb\rc\n", "line 2 holds the control character U+000D" },
    }
    os.remove(path "map.svg")
    for _, case in ipairs(refused) do
      write("words", case[1])
      expect_run(1, draw .. " --tokens %words", path "words", case[2])
    end
    expect_run(1, draw .. " --tokens %nowhere", path "nowhere")
    expect_run(1, draw .. " --tokens " .. path "", path "")
    expect_run(1, draw .. " --batch 1", "sequence 1 has 0 queries and 0 keys")
    expect_run(2, draw .. " --batch 2", "--batch 2: ", "holds 2 sequences")
    expect_run(2, draw .. " --head 2", "--head 2: out of range, 0..1")
    expect_run(2, draw .. " --layer 0", "--layer 0: this model is one attention layer")
    expect_run(2, draw .. " --key-tokens %words", "--key-tokens", "the query's own sequence")
    expect_run(2, "draw --weights %weights --input %in --output %map.png", "ends in .svg or .html")
    expect(not io.open(path "map.svg"), "a picture was written after a refusal")
    expect_run(1, "draw --weights %weights --input %in --output %nowhere/map.svg", "nowhere")
  end

  return {
    -- What is wrong with a picture's text as XML, or nil.
    flaw = flaw,
    fixture = function()
      for _, test in ipairs { test_cells, test_masked, test_labels, test_page, test_refusals } do test() end
    end,
    -- Any program, with an input file of its own already there.
    any = function()
      local given = expect_run(0, "info"):match("gives ([^\n]*)")
      local options = " --allow-random 3 --input %in --output %map.svg"
      if (", " .. given .. ","):find(", attention,", 1, true) or given:find(", attention_0", 1, true) then
        expect_run(0, "draw" .. options, path "map.svg")
        expect(not flaw(files.slurp(path "map.svg")), "not well-formed")
      else
        expect_run(1, "draw" .. options, "no attention to draw")
      end
    end,
  }
end
