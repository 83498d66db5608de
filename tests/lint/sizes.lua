-- sizes.lua: checks that no file is above 400 lines, no template above 200 and no function above 40, or 60 in a
-- template: lua sizes.lua FILE... Functions are told by layout: a C body starts with "{" and ends with "}" in column 1,
-- a Lua one starts with "function" or "local function" there and ends with "end". Lines of Lua in a template are no
-- lines of its functions.
local KINDS = {
  { suffix = "%.[ch]$", first = "^{$", last = "^}", max_file = 400, max_function = 40 },
  { suffix = "%.lua$", first = "^l?o?c?a?l? ?function ", last = "^end", max_file = 400, max_function = 40 },
  { suffix = "%.lt$", first = "^{$", last = "^}", aside = "^%s*%$ ", max_file = 200, max_function = 60 },
}

local failures = 0

local function fail(message, ...)
  failures = failures + 1
  print(message:format(...))
end

local function kind_of(path)
  for _, kind in ipairs(KINDS) do
    if path:find(kind.suffix) then return kind end
  end
end

-- Lines of a file; where functions are too long, says so.
local function count(path, kind)
  local number, start, length = 0, nil, 0
  for line in io.lines(path) do
    number = number + 1
    if line:find(kind.first) then start, length = number, 0 end
    if not (kind.aside and line:find(kind.aside)) then length = length + 1 end
    if start and line:find(kind.last) then
      if length > kind.max_function then fail("%s:%d: a function of %d lines", path, start, length) end
      start = nil
    end
  end
  return number
end

for _, path in ipairs(arg) do
  local kind = kind_of(path)
  local lines = kind and count(path, kind) or 0
  if kind and lines > kind.max_file then fail("%s: %d lines", path, lines) end
end
os.exit(failures == 0)
