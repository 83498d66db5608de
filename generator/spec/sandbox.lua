-- sandbox.lua: reads a spec file, a Lua table constructor, as data.
-- Refuses to run anything: only the tokens of a constructor are let through to `load`, so that no call, loop or
-- concatenation exists whose time or memory would need a limit; the environment is empty as well.
local sandbox = {}

local MAX_BYTES = 65536
local MAX_DEPTH = 16
local WORDS = { ["return"] = true, ["true"] = true, ["false"] = true, ["nil"] = true }
local KEYWORDS = {}
for word in ("and break do else elseif end for function goto if in local not or repeat then until while"):gmatch("%a+") do
  KEYWORDS[word] = true
end

-- Each rule: a pattern anchored at the position, and what its match is. Order matters: comments before minus.
local TOKENS = {
  { "^%s+", "blank" },
  { "^%-%-%[%[.-%]%]", "blank" },
  { "^%-%-[^\n]*", "blank" },
  { '^"[^"\\\n]*"', "string" },
  { "^'[^'\\\n]*'", "string" },
  { "^0[xX]%x+", "number" },
  { "^%d+%.?%d*[eE][+-]?%d+", "number" },
  { "^%d+%.?%d*", "number" },
  { "^[%a_][%w_]*", "word" },
  { "^[{}%[%]=,;%-]", "mark" },
}

local function next_token(source, at)
  for _, rule in ipairs(TOKENS) do
    local from, to = source:find(rule[1], at)
    if from then return source:sub(from, to), rule[2], to + 1 end
  end
end

local function line_of(source, at)
  local _, breaks = source:sub(1, at):gsub("\n", "")
  return breaks + 1
end

local function refused(source, at, token)
  local found = token or source:sub(at, at)
  return nil, ("line %d: %q cannot stand in a spec, which is data: fields, numbers, plain strings, true, false and {}")
    :format(line_of(source, at), found)
end

-- nil where every token may stand in a constructor and braces nest soberly.
local function scan(source)
  local at, depth = 1, 0
  while at <= #source do
    local token, kind, after = next_token(source, at)
    if not token or (kind == "word" and KEYWORDS[token] and not WORDS[token]) then
      return refused(source, at, token)
    end
    if token == "{" then depth = depth + 1 elseif token == "}" then depth = depth - 1 end
    if depth > MAX_DEPTH then return nil, ("line %d: nested deeper than %d"):format(line_of(source, at), MAX_DEPTH) end
    at = after
  end
  return true
end

-- The table `source` constructs, or nil and why not. `name` stands in Lua's own syntax messages.
function sandbox.read(source, name)
  if #source > MAX_BYTES then return nil, ("longer than %d bytes, which no spec is"):format(MAX_BYTES) end
  local ok, why = scan(source)
  if not ok then return nil, why end
  local body = source:match("^%s*return%f[%W]") and source or "return " .. source
  if not source:match("^%s*return%f[%W]") and not source:match("{") then
    return nil, "holds no table: a spec is { d_model = 512, n_heads = 8, ... }"
  end
  local chunk, message = load(body, "=" .. name, "t", {})
  if not chunk then return nil, (message:gsub("^" .. name:gsub("%p", "%%%0") .. ":", "line ")) end
  local ok_run, value = pcall(chunk)
  if not ok_run or type(value) ~= "table" then return nil, "holds no table: a spec is { d_model = 512, n_heads = 8, ... }" end
  return value
end

return sandbox
