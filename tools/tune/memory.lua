-- memory.lua: what a tuning has measured so far, as a file that a later run goes on with. Measures nothing.
local fs = require "base.fs"

local Memory = {}
Memory.__index = Memory

local LINE = "^(%l+) ([%d.]+) ([%d.]+) ([%d.]+) (%d+)|([%w_.= ]*)|([%w_.= ]*)$"

-- The file at a path, forgotten if its first line is not `about`: then it is of another model, machine or generator.
function Memory.open(path, about)
  local self = setmetatable({ path = path, about = about, lines = {}, found = {} }, Memory)
  local content = fs.exists(path) and fs.read(path) or ""
  if content:match("^[^\n]*") ~= about then return self end
  for line in content:gmatch("\n([^\n]+)") do self:take(line) end
  return self
end

-- Takes a line that says what a comparison found; others, such as one that was not written whole, are left out.
function Memory:take(line)
  local verdict, ratio, low, high, rounds, a, b = line:match(LINE)
  if not verdict then return end
  self.lines[#self.lines + 1] = line
  self.found[a .. "|" .. b] = { verdict = verdict, ratio = tonumber(ratio), low = tonumber(low), high = tonumber(high),
    rounds = tonumber(rounds), was_known = true }
end

-- What was found when `b` was compared with `a`, or nil. a, b: keys of values.
function Memory:get(a, b)
  return self.found[a .. "|" .. b]
end

function Memory:put(a, b, found)
  self:take(("%s %.5f %.5f %.5f %d|%s|%s"):format(found.verdict, found.ratio, found.low, found.high, found.rounds, a,
    b))
  local folder, name = self.path:match("^(.*)/([^/]*)$")
  assert(fs.write_all(folder, { { name, self.about .. "\n" .. table.concat(self.lines, "\n") .. "\n" } }))
end

return Memory
