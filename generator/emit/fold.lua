-- emit/fold.lua: breaks lines of generated C that are too long to read: comments between words, code after a comma or
-- an operator, aligned with the bracket that is open there. Knows nothing of what the text says.
local fold = {}

local COLUMNS = 120
local DEEPEST = 72 -- column up to which what follows is aligned with a bracket

local OPENING, CLOSING = { ["("] = true, ["["] = true, ["{"] = true }, { [")"] = true, ["]"] = true, ["}"] = true }

local MARKS = '[][(){} "]' -- brackets, blanks, and what begins a string

-- Where code may be broken, after these: the first of them for which a line has a place counts.
local BREAKS = { { [","] = true, [";"] = true }, { ["&&"] = true, ["||"] = true, ["?"] = true, [":"] = true },
  { ["+"] = true, ["*"] = true, ["/"] = true, ["="] = true } }

-- Position of the `//` that begins a line's comment, outside strings; nil where there is none.
local function comment_at(line)
  local first = line:find("//", 1, true)
  if not first or not line:find("[\"']") then return first end
  local at, quote = 1, nil
  while at <= #line do
    local c = line:sub(at, at)
    if quote then
      if c == "\\" then at = at + 1 elseif c == quote then quote = nil end
    elseif c == '"' or c == "'" then
      quote = c
    elseif line:sub(at, at + 1) == "//" then
      return at
    end
    at = at + 1
  end
end

-- Appends a comment's words in lines of their own.
local function fold_comment(out, indent, words)
  local line = indent .. "//"
  for word in words:gmatch("%S+") do
    if #line + 1 + #word > COLUMNS and line ~= indent .. "//" then
      out[#out + 1] = line
      line = indent .. "//"
    end
    line = line .. " " .. word
  end
  out[#out + 1] = line
end

-- Puts a place into the lists of those words after which code may be broken, if `before` is one.
local function add_place(lists, before, place)
  for i, breaks in ipairs(BREAKS) do
    if breaks[before] or i == 1 and before:sub(-1) == "," then lists[i][#lists[i] + 1] = place end
  end
end

-- The blanks of a line's code at which it may be broken: { at, depth, column } each, column: that of the innermost open
-- bracket, 0 outside of all; in three lists, by BREAKS.
local function places(line)
  local lists, open = { {}, {}, {} }, {}
  local word = #line:match("^ *") + 1 -- where the last one began
  local at = line:find(MARKS, word)
  while at do
    local c = line:sub(at, at)
    if c == '"' then at = line:find('[^\\]"', at) and line:find('[^\\]"', at) + 1 or #line end
    if OPENING[c] then open[#open + 1] = at end
    if CLOSING[c] then open[#open] = nil end
    if c == " " then
      add_place(lists, line:sub(word, at - 1), { at = at, depth = #open, column = open[#open] or 0 })
      word = at + 1
    end
    at = line:find(MARKS, at + 1)
  end
  return lists
end

-- The place to break a line at: of those that leave it short enough the last among the least nested; nil for none.
local function best_place(line, from)
  for _, list in ipairs(places(line)) do
    local best
    for _, place in ipairs(list) do
      local fits = place.at > from and place.at <= COLUMNS + 1
      if fits and (not best or place.depth <= best.depth) then best = place end
    end
    if best then return best end
  end
end

-- Appends a line of code, broken where it is too long.
local function fold_code(out, line)
  local indent = line:match("^ *")
  local from = #indent
  while #line > COLUMNS do
    local place = best_place(line, from + 8)
    if not place then break end
    out[#out + 1] = line:sub(1, place.at - 1)
    local column = place.column > 0 and place.column <= DEEPEST and place.column or #indent + 4
    line, from = (" "):rep(column) .. line:sub(place.at + 1), column
  end
  out[#out + 1] = line
end

local function fold_line(out, line)
  local at = comment_at(line)
  if not at then return fold_code(out, line) end
  local indent, code = line:match("^ *"), line:sub(1, at - 1):gsub(" +$", "")
  fold_comment(out, indent, line:sub(at + 2))
  if code ~= "" then fold_code(out, code) end
end

-- What goes on in a comment that is too long, where this line does: its words.
local function goes_on(comment, line)
  local indent, words = line:match("^( *)//( .*)$")
  return indent == comment:match("^ *") and words
end

-- The line that begins at a byte of a text, a long comment with the lines that go on with it; and where the next one
-- begins.
local function line_at(text, at, stop)
  local line = text:sub(at, stop - 1)
  while line:find("^ *//") do
    local after = text:find("\n", stop + 1, true)
    local more = after and goes_on(line, text:sub(stop + 1, after - 1))
    if not more then break end
    line, stop = line .. more, after
  end
  return line, stop + 1
end

-- The text with its long lines broken; each line of it ends in one. The comment after code that is too long comes to
-- stand before it; lines of the preprocessor stay.
function fold.text(text)
  local out, kept, at = {}, 1, 1 -- kept: where what stays as it is begins
  local stop = text:find("\n", at, true)
  while stop do
    local following = stop + 1
    if stop - at > COLUMNS and text:sub(at, at) ~= "#" then
      local lines, line, next_line = {}, line_at(text, at, stop)
      fold_line(lines, line)
      following = next_line
      out[#out + 1], out[#out + 2] = text:sub(kept, at - 1), table.concat(lines, "\n") .. "\n"
      kept = following
    end
    at = following
    stop = text:find("\n", at, true)
  end
  return table.concat(out) .. text:sub(kept)
end

return fold
