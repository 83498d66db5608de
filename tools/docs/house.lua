-- house.lua: draws the structure of the code as an SVG picture, from its real requires and includes: a room for each
-- folder, or for each part of a flat one, above all rooms that it uses. Rooms that use each other are drawn as one.
local compat = require "base.compat"
local fs = require "base.fs"

local house = {}

-- The houses side by side: where their files are, and how a file says that it uses another.
local HOUSES = {
  { title = "The generator (Lua)", folders = "generator", files = "*.lua",
    uses = "require%s*%(?%s*[\"']([%w_.]+)[\"']" },
  { title = "The runtime and the program (C)", folders = "runtime program", files = "*.[ch]",
    uses = '#include "([^"]+)"' },
}

local ROOM_HEIGHT, LEVEL_HEIGHT, GAP, MARGIN, LETTER = 30, 70, 14, 24, 7.4

local STYLE = [[
<style>
  text { font: 13px sans-serif; fill: #1f2328; text-anchor: middle; }
  .title { font-size: 15px; font-weight: bold; }
  rect { fill: #f6f8fa; stroke: #57606a; }
  line { stroke: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } rect { fill: #161b22; stroke: #8b949e; } line { stroke: #6e7681; }
  }
</style>]]

-- -- Rooms and what they use ----------------------------------------------------------------------------------------

-- Folders within a folder that are rooms of their own.
local INNER = { ["import/maps"] = true }
-- Headers of users that no C file of their name stands by.
local HOMES = { facts = "model", fault = "base" }

-- The room of a path: the folder below the first, or of a file that is in the first its name.
local function room_of(path, top)
  local inner = path:sub(#top + 2)
  local two = inner:match("^([^/]+/[^/]+)/")
  return INNER[two] and two or inner:match("^([^/]+)/") or inner:match("^([^_.]+)")
end

-- By the name of each header the room of the C file of that name: users' headers lie in a folder of their own.
local function homes_of(paths)
  local homes = {}
  for name, room in pairs(HOMES) do homes[name] = room end
  for _, path in ipairs(paths) do
    local name, ending = path:match("([^/]+)%.([ch])$")
    if name and (ending == "c" or not path:find("/include/", 1, true)) then
      homes[name] = room_of(path, path:match("^[^/]+"))
    end
  end
  return homes
end

-- The room of what a file says it uses; nil where that is outside.
local function used_room(rooms, homes, word)
  local header = word:match("([^/]+)%.h$")
  if header then return homes[header] end
  local one, two = word:match("^([^./]+)"), word:match("^([^./]+%.[^./]+)")
  local inner = two and two:gsub("%.", "/")
  return INNER[inner] and inner or rooms[one] and one or nil
end

local function paths_of(of)
  local paths = {}
  local list = compat.capture(("find -L %s -name '%s' | LC_ALL=C sort"):format(of.folders, of.files))
  for path in list:gmatch("[^\n]+") do paths[#paths + 1] = path end
  return paths
end

-- Every room by its name, in order of names: { name, uses = set of names }.
local function read_rooms(of)
  local rooms, order, texts, paths = {}, {}, {}, paths_of(of)
  local homes = homes_of(paths)
  for _, path in ipairs(paths) do
    local header = path:match("/include/.*/([^/]+)%.h$")
    local name = header and homes[header] or room_of(path, path:match("^[^/]+"))
    if not rooms[name] then
      rooms[name] = { name = name, uses = {} }
      order[#order + 1] = name
    end
    texts[#texts + 1] = { room = name, text = assert(fs.read(path)) }
  end
  for _, file in ipairs(texts) do
    for word in file.text:gmatch(of.uses) do
      local used = used_room(rooms, homes, word)
      if used and used ~= file.room then rooms[file.room].uses[used] = true end
    end
  end
  table.sort(order)
  return rooms, order
end

-- Everything a room can reach, as a set by name.
local function reach(rooms, order)
  local reached = {}
  for _, from in ipairs(order) do
    local set = {}
    local function visit(name)
      for _, used in ipairs(order) do
        if rooms[name].uses[used] and not set[used] then
          set[used] = true
          visit(used)
        end
      end
    end
    visit(from)
    reached[from] = set
  end
  return reached
end

-- Rooms that reach each other as one: an array of { names, uses = set of indices }, and the reach between them.
local function merged(rooms, order)
  local reached, groups, at = reach(rooms, order), {}, {}
  for _, name in ipairs(order) do
    for _, other in ipairs(order) do
      if at[other] and reached[name][other] and reached[other][name] then at[name] = at[name] or at[other] end
    end
    if not at[name] then
      groups[#groups + 1] = { names = {}, uses = {} }
      at[name] = #groups
    end
    table.insert(groups[at[name]].names, name)
  end
  for _, name in ipairs(order) do
    for _, other in ipairs(order) do
      if at[name] ~= at[other] and reached[name][other] then groups[at[name]].uses[at[other]] = true end
    end
  end
  return groups
end

-- The level of each group: one above the highest that it uses.
local function set_levels(groups)
  local function level(group)
    if not group.level then
      group.level = 1
      for i, other in ipairs(groups) do
        if group.uses[i] then group.level = math.max(group.level, level(other) + 1) end
      end
    end
    return group.level
  end
  for _, group in ipairs(groups) do level(group) end
end

-- What a group uses and does not reach through another that it uses.
local function direct_uses(groups, group)
  local list = {}
  for i, used in ipairs(groups) do
    local is_direct = group.uses[i]
    for j, between in ipairs(groups) do
      if group.uses[j] and between.uses[i] then is_direct = false end
    end
    list[#list + 1] = is_direct and used or nil
  end
  return list
end

-- -- Drawing --------------------------------------------------------------------------------------------------------

local function label(group)
  return table.concat(group.names, ", ")
end

local function middle(group)
  return group.x + math.floor(group.width / 2)
end

-- Orders a level by where the rooms that each uses are in the middle, so that few lines cross; then by name.
local function order_level(groups, level)
  local at = {}
  for _, group in ipairs(level) do
    local uses, sum = direct_uses(groups, group), 0
    for _, used in ipairs(uses) do sum = sum + middle(used) end
    at[group] = #uses > 0 and sum / #uses or 0
  end
  table.sort(level, function(a, b)
    if at[a] ~= at[b] then return at[a] < at[b] end
    return label(a) < label(b)
  end)
end

-- Places rooms level by level, the lowest at the bottom, in the middle of the house's width.
local function place(groups, left)
  local levels, width = {}, 0
  for _, group in ipairs(groups) do
    group.width = math.floor(#label(group) * LETTER + 24)
    local level = levels[group.level] or { width = -GAP }
    levels[group.level] = level
    level[#level + 1] = group
    level.width = level.width + group.width + GAP
    width = math.max(width, level.width)
  end
  for _, level in ipairs(levels) do
    local x = left + math.floor((width - level.width) / 2)
    order_level(groups, level)
    for _, group in ipairs(level) do
      group.x = x
      x = x + group.width + GAP
    end
  end
  return width, #levels
end

local function draw(out, groups, top)
  for _, group in ipairs(groups) do group.y = top - group.level * LEVEL_HEIGHT end
  for _, group in ipairs(groups) do
    for _, used in ipairs(direct_uses(groups, group)) do
      out('<line x1="%d" y1="%d" x2="%d" y2="%d"/>', middle(group), group.y + ROOM_HEIGHT, middle(used), used.y)
    end
  end
  for _, group in ipairs(groups) do
    out('<rect x="%d" y="%d" width="%d" height="%d" rx="4"/>', group.x, group.y, group.width, ROOM_HEIGHT)
    out('<text x="%d" y="%d">%s</text>', middle(group), group.y + 20, label(group))
  end
end

-- The whole picture as text.
function house.picture()
  local lines, left, tallest = {}, MARGIN, 0
  local function out(format, ...) lines[#lines + 1] = format:format(...) end
  for _, of in ipairs(HOUSES) do
    of.groups = merged(read_rooms(of))
    set_levels(of.groups)
    of.left = left
    local height
    of.width, height = place(of.groups, left)
    left, tallest = left + of.width + 3 * MARGIN, math.max(tallest, height)
  end
  local bottom = MARGIN + 30 + tallest * LEVEL_HEIGHT
  for _, of in ipairs(HOUSES) do
    out('<text class="title" x="%d" y="%d">%s</text>', of.left + math.floor(of.width / 2), MARGIN, of.title)
    draw(out, of.groups, bottom)
  end
  local head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n' ..
    "<title>Each part of genattn above the parts that it uses</title>\n"):format(left - 2 * MARGIN, bottom)
  return head .. STYLE .. "\n" .. table.concat(lines, "\n") .. "\n</svg>\n"
end

return house
