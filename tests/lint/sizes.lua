-- sizes.lua: checks that no file is above 400 lines and no function above 40: lua sizes.lua FILE...
-- Functions are told by layout: a C body starts with "{" and ends with "}" in column 1, a Lua one starts with
-- "function" or "local function" there and ends with "end".
local MAX_FILE, MAX_FUNCTION = 400, 40

local KINDS = {
  { suffix = "%.[ch]$", first = "^{$", last = "^}" },
  { suffix = "%.lua$", first = "^l?o?c?a?l? ?function ", last = "^end" },
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

local function check(path)
  local kind, number, start = kind_of(path), 0, nil
  for line in io.lines(path) do
    number = number + 1
    if kind and line:find(kind.first) then start = number end
    if start and line:find(kind.last) then
      local length = number - start + 1
      if length > MAX_FUNCTION then fail("%s:%d: a function of %d lines", path, start, length) end
      start = nil
    end
  end
  if kind and number > MAX_FILE then fail("%s: %d lines", path, number) end
end

for _, path in ipairs(arg) do check(path) end
os.exit(failures == 0)
