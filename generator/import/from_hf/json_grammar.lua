-- from_hf/json_grammar.lua: whether a text is JSON as RFC 8259 has it: no comments, no comma before a closing bracket,
-- no number with a leading zero. Builds no values, which is the library's; it takes more than JSON.
local types = require "schema.types"

local grammar = {}

local MAX_DEPTH = 100 -- of objects and arrays in each other
local MAX_TOKENS = 2 ^ 21 -- brackets, commas and values: decoded within seconds, in some 100 MB

-- -- Tokens: each reader returns the byte after what begins at `at`, or nil, the byte where it is wrong, and why ------

local function string_end(text, at)
  local stop = at
  while true do
    stop = text:find('[%c"\\]', stop + 1)
    local byte = stop and text:byte(stop)
    if byte == 34 then return stop + 1 end
    if not stop then return nil, at, "a string without an end" end
    if byte == 92 then
      local escape = text:match('^\\["\\/bfnrt]', stop) or text:match("^\\u%x%x%x%x", stop)
      if not escape then return nil, stop, "an escape that JSON does not have" end
      stop = stop + #escape - 1
    elseif byte ~= 127 then
      return nil, stop, "a control character in a string"
    end
  end
end

local function number_end(text, at)
  local _, stop = text:find("^-?%d+", at)
  if not stop or text:find("^-?0%d", at) then return nil, at, "a number that JSON does not have" end
  for _, pattern in ipairs({ "^%.%d+", "^[eE][+-]?%d+" }) do
    local _, last = text:find(pattern, stop + 1)
    stop = last or stop
  end
  if text:find("^[%w.+-]", stop + 1) then return nil, at, "a number that JSON does not have" end
  return stop + 1
end

local WORDS = { ["true"] = true, ["false"] = true, ["null"] = true }

local function word_end(text, at)
  local word = text:match("^%a+", at)
  if not WORDS[word] then return nil, at, types.shown(word) .. ", which is not a JSON value" end
  return at + #word
end

local PUNCTUATION = { ["["] = true, ["]"] = true, ["{"] = true, ["}"] = true, [","] = true, [":"] = true }

-- What the byte at `at` begins: the token's kind, and the byte after it; or nil, the byte where it is wrong, and why.
local function token(text, at)
  local byte = text:sub(at, at)
  if byte == "" then return "end", at end
  if PUNCTUATION[byte] then return byte, at + 1 end
  local read = byte == '"' and string_end or byte:find("[%d-]") and number_end or byte:find("%a") and word_end
  if byte == "/" then return nil, at, "a comment, which JSON does not have" end
  if not read then return "no token", at + 1 end
  local stop, wrong, why = read(text, at)
  if not stop then return nil, wrong, why end
  return byte == '"' and "string" or "value", stop
end

-- -- States: what may come, in words, and what does then ------------------------------------------------------------

-- Each token's action: "open", "close", or the state that follows.
local VALUE = { string = "after", value = "after", ["{"] = "open", ["["] = "open" }
local EXPECTED = {
  first = "a value", value = "a value", item = "a value", first_item = "a value or ]", first_name = "a name or }",
  name = "a name in quotes", colon = "a colon",
}
local STATES = {
  first = VALUE, value = VALUE, item = VALUE,
  first_item = { string = "after", value = "after", ["{"] = "open", ["["] = "open", ["]"] = "close" },
  first_name = { string = "colon", ["}"] = "close" },
  name = { string = "colon" },
  colon = { [":"] = "value" },
}
local AFTER = {
  ["{"] = { [","] = "name", ["}"] = "close" }, ["["] = { [","] = "item", ["]"] = "close" }, [""] = { ["end"] = "done" },
}
local AFTER_EXPECTED = { ["{"] = "a comma or }", ["["] = "a comma or ]", [""] = "nothing more" }

-- Why a token may not come in a state.
local function refusal(state, innermost, kind, shown)
  if (state == "name" and kind == "}") or (state == "item" and kind == "]") then
    return "a comma before " .. kind .. ", which JSON does not have"
  end
  return ("found %s; expected %s"):format(shown, EXPECTED[state] or AFTER_EXPECTED[innermost])
end

-- True where the text is JSON; or false, the byte where it is not, and why.
function grammar.check(text)
  local stack, state, at, count = {}, "first", 1, 0
  while state ~= "done" do
    at = text:find("[^ \t\n\r]", at) or #text + 1
    if count == MAX_TOKENS then return false, at, ("more than %d brackets, commas and values"):format(MAX_TOKENS) end
    count = count + 1
    local innermost = stack[#stack] or ""
    local kind, stop, why = token(text, at)
    if not kind then return false, stop, why end
    local following = (STATES[state] or AFTER[innermost])[kind]
    if not following then
      local shown = kind == "end" and "the end" or types.shown(text:sub(at, math.min(stop - 1, at + 15)))
      return false, at, refusal(state, innermost, kind, shown)
    end
    if following == "open" then
      if #stack == MAX_DEPTH then return false, at, ("nested deeper than %d"):format(MAX_DEPTH) end
      stack[#stack + 1] = kind
      following = kind == "{" and "first_name" or "first_item"
    elseif following == "close" then
      stack[#stack] = nil
      following = "after"
    end
    state, at = following, stop
  end
  return true
end

-- The line and the column of a byte, both from 1; columns are bytes.
function grammar.place(text, at)
  local _, breaks = text:sub(1, at - 1):gsub("\n", "")
  local before = text:sub(1, at - 1):match("[^\n]*$")
  return breaks + 1, #before + 1
end

return grammar
