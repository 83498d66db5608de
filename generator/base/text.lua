-- text.lua: small helpers for messages meant for people, and for writing tables in one order.
-- Nothing here reaches generated C.
local text = {}

-- Number of single edits (insert, delete, replace, swap two neighbours) that turn a into b.
local function edit_distance(a, b)
  local rows = { [0] = {} }
  for j = 0, #b do rows[0][j] = j end
  for i = 1, #a do
    rows[i] = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      local best = math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, rows[i - 2][j - 2] + 1)
      end
      rows[i][j] = best
    end
  end
  return rows[#a][#b]
end

local SHORTEST, MOST_EDITS = 3, 3

-- How many edits make a misspelling: one in four letters of the shorter word. runtime/weights/name_suggestion.c has the
-- same rule.
local function most_edits(a, b)
  local shorter = math.min(#a, #b)
  if shorter < SHORTEST then return 0 end
  return math.min(MOST_EDITS, math.max(1, math.floor(shorter / 4)))
end

-- The entry of `list` that `name` is most likely a misspelling of, the first of equals; nil where none is near.
function text.misspelt(name, list)
  local best, best_distance
  for _, candidate in ipairs(list) do
    local limit = most_edits(name, candidate)
    -- A difference of lengths is that many edits at least, so that a word of any length is told from these at once.
    local distance = math.abs(#name - #candidate) <= limit and edit_distance(name, candidate) or math.huge
    if distance <= limit and (not best or distance < best_distance) then
      best, best_distance = candidate, distance
    end
  end
  return best
end

-- Whether `name` is the beginning or the end of `candidate` between _, - and dots: heads of n_heads.
local function is_part(name, candidate)
  local word, whole = name:gsub("^%-+", ""), candidate:gsub("^%-+", "")
  if #word < SHORTEST or #word >= #whole then return false end
  local before, after = whole:sub(-#word - 1, -#word - 1), whole:sub(#word + 1, #word + 1)
  return (whole:sub(1, #word) == word and after:find("[_.-]") or
    whole:sub(-#word) == word and before:find("[_.-]")) and true or false
end

-- The entry of `list` that `name` most likely stands for: one that it misspells, or else the shortest that it is the
-- beginning or the end of; nil where there is neither.
function text.nearest(name, list)
  local best = text.misspelt(name, list)
  if best then return best end
  for _, candidate in ipairs(list) do
    if is_part(name, candidate) and (not best or #candidate < #best) then best = candidate end
  end
  return best
end

-- The words of s in lines of at most `width` columns, each after `indent` blanks (default 0); a longer word stands
-- alone. Returns an array of lines, empty for a text without words.
function text.wrap(s, width, indent)
  local margin = (" "):rep(indent or 0)
  local lines, line = {}, nil
  for word in s:gmatch("%S+") do
    if line and #margin + #line + 1 + #word > width then
      lines[#lines + 1] = margin .. line
      line = word
    else
      line = line and line .. " " .. word or word
    end
  end
  if line then lines[#lines + 1] = margin .. line end
  return lines
end

-- The first `most` of a list of messages, and after them how many more there are.
function text.first(messages, most)
  local list = {}
  for i = 1, math.min(#messages, most) do list[i] = messages[i] end
  if #messages > most then list[most + 1] = ("and %d more like this"):format(#messages - most) end
  return list
end

-- The bytes of a character by its first one, and the least number that so many stand for; nothing for other bytes.
local function utf8_form(first)
  if first < 0x80 then return 1, 0, first end
  if first >= 0xC2 and first <= 0xDF then return 2, 0x80, first - 0xC0 end
  if first >= 0xE0 and first <= 0xEF then return 3, 0x800, first - 0xE0 end
  if first >= 0xF0 and first <= 0xF4 then return 4, 0x10000, first - 0xF0 end
end

-- The number of the character at a byte of s, and how many bytes it has; nil and 1 for invalid UTF-8.
local function point_at(s, at)
  local length, least, point = utf8_form(s:byte(at))
  for i = at + 1, at + (length or 0) - 1 do
    local byte = s:byte(i)
    if not byte or byte < 0x80 or byte > 0xBF then return nil, 1 end
    point = point * 64 + byte - 0x80
  end
  if not length or point < least or point > 0x10FFFF or (point >= 0xD800 and point <= 0xDFFF) then return nil, 1 end
  return point, length
end

-- Characters that no terminal shows as themselves: controls, what turns the direction of writing, and what has no
-- width. program/report/diagnostics.c has the same list.
local UNSEEN = {
  { 0x0, 0x1F }, { 0x7F, 0x9F }, { 0xAD, 0xAD }, { 0x61C, 0x61C }, { 0x180E, 0x180E }, { 0x200B, 0x200F },
  { 0x2028, 0x202E }, { 0x2060, 0x206F }, { 0xFEFF, 0xFEFF }, { 0xFFF9, 0xFFFB }, { 0xE0000, 0xE007F },
}

local function is_seen(point)
  for _, range in ipairs(UNSEEN) do
    if not point or (point >= range[1] and point <= range[2]) then return false end
  end
  return true
end

-- One line made safe for a terminal: invisible characters and invalid UTF-8 become \xNN, byte by byte.
function text.printable(s)
  if not s:find("[%c\128-\255]") then return s end
  local parts, at = {}, 1
  while at <= #s do
    local point, length = point_at(s, at)
    local bytes = s:sub(at, at + length - 1)
    parts[#parts + 1] = is_seen(point) and bytes or
      bytes:gsub(".", function(byte) return ("\\x%02x"):format(byte:byte()) end)
    at = at + length
  end
  return table.concat(parts)
end

-- "a", "a and b", "a, b and c"; `last` (default "and") joins the last two.
function text.join(list, last)
  if #list < 2 then return list[1] or "" end
  return table.concat(list, ", ", 1, #list - 1) .. " " .. (last or "and") .. " " .. list[#list]
end

-- The same of the first `most` of a list, and how many more there are: "a, b and 3 more".
function text.join_some(list, most)
  local shown = {}
  for i = 1, math.min(#list, most) do shown[i] = list[i] end
  if #list > most then shown[#shown + 1] = ("%d more"):format(#list - most) end
  return text.join(shown)
end

-- The keys of a table of names in the order of the alphabet.
function text.sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- For xpcall: what was raised, with the calls that led there. A list of messages, as specs are refused with, becomes
-- text too.
function text.traceback(problem)
  if type(problem) == "table" then problem = #problem > 0 and table.concat(problem, "; ") or problem.message end
  return debug.traceback(tostring(problem), 2)
end

return text
