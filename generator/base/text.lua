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

-- The entry of `list` nearest to `name` by edit distance, the first of equals; nil when all are too far to be a
-- misspelling (more than a third of the longer word, at least one edit).
function text.nearest(name, list)
  local best, best_distance
  for _, candidate in ipairs(list) do
    local limit = math.max(1, math.floor(math.max(#name, #candidate) / 3))
    -- A difference of lengths is that many edits at least, so that a word of any length is told from these at once.
    local distance = math.abs(#name - #candidate) <= limit and edit_distance(name, candidate) or math.huge
    if distance <= limit and (not best or distance < best_distance) then
      best, best_distance = candidate, distance
    end
  end
  return best
end

-- The words of s in lines of at most `width` columns, each behind `indent` blanks (default 0); a longer word stands
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

-- The first `most` of a list of messages, and behind them how many more there are.
function text.first(messages, most)
  local list = {}
  for i = 1, math.min(#messages, most) do list[i] = messages[i] end
  if #messages > most then list[most + 1] = ("and %d more like this"):format(#messages - most) end
  return list
end

-- "a", "a and b", "a, b and c"; `last` (default "and") joins the last two.
function text.join(list, last)
  if #list < 2 then return list[1] or "" end
  return table.concat(list, ", ", 1, #list - 1) .. " " .. (last or "and") .. " " .. list[#list]
end

-- The keys of a table of names in the order of the alphabet.
function text.sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

return text
