-- template.lua: turns a .c.lt template into a function that renders text.
-- Knows nothing of attention or C beyond what may be spliced; computes nothing itself.
--
-- A line whose first mark is `$ ` is Lua. In any other line `${e}` stands for the value of the Lua expression e, which
-- must be a string or a whole number. A splice that stands alone on its line may hold several lines, each of which is
-- indented like the splice, or none, which leaves no line. Every template line becomes exactly one line of Lua,
-- so that the positions in error messages are those of the template.
--
-- A file of fragments holds several templates, its stages: a line `$$ stage: NAME` begins one, which ends before the
-- next such line or with the file; blank lines at its end belong to it. Lua before the first stage belongs to every
-- stage. So does `$$ operation: NAME` begin the C of an operation, which is a stage called "operation NAME".
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local template = {
  folder = "templates/", -- set by the entry point to where templates lie
}

-- Names every template may use besides those of its env.
local BUILTINS = {
  ipairs = ipairs, int = fmt.int, double = fmt.double, f32 = fmt.f32, f32_rest = fmt.f32_rest, c_string = fmt.c_string,
  comment = fmt.comment, plus = fmt.plus, plus_k = fmt.plus_k, plus_times = fmt.plus_times,
}

-- -- Splices --------------------------------------------------------------------------------------------------------

local function value_text(value, level)
  if type(value) == "string" then return value end
  if type(value) == "number" and value == math.floor(value) and math.abs(value) <= 2 ^ 53 then
    return fmt.int(value)
  end
  local hint = type(value) == "number" and " (floats go through f32())" or ""
  error("cannot splice " .. type(value) .. " " .. tostring(value) .. hint, level + 1)
end

local function splice_inline(value)
  local spliced = value_text(value, 2)
  if spliced:find("\n", 1, true) then
    error("cannot splice several lines into the middle of a line", 2)
  end
  return spliced
end

-- Appends the lines of a splice that stands alone after `indent` to `out`.
local function splice_block(out, indent, value)
  local spliced = value_text(value, 2)
  if spliced == "" then return end
  for line in (spliced:gsub("\n?$", "\n", 1)):gmatch("(.-)\n") do
    out[#out + 1] = line == "" and "" or indent .. line
  end
end

-- -- Translation ----------------------------------------------------------------------------------------------------

-- Position just past the quoted or [[long]] string that starts at `at`; nil when none starts there or it has no end.
local function skip_string(line, at)
  local level = line:match("^%[(=*)%[", at)
  if level then
    local _, stop = line:find("]" .. level .. "]", at, true)
    return stop and stop + 1
  end
  local quote = line:match("^[\"']", at)
  while quote do
    at = line:find("[\\" .. quote .. "]", at + 1)
    if not at then return nil end
    if line:sub(at, at) == quote then return at + 1 end
    at = at + 1
  end
end

-- Position of the brace that closes the one just before `at`; braces inside strings do not count.
local function closing_brace(line, at)
  local depth = 1
  while at <= #line do
    local c = line:sub(at, at)
    if c == "{" then depth = depth + 1 end
    if c == "}" then depth = depth - 1 end
    if depth == 0 then return at end
    at = skip_string(line, at) or at + 1
  end
end

-- What is wrong with an expression, or nil. It must stand both alone, so that it closes no bracket of ours, and in
-- brackets, so that it is one value and comments nothing out.
local function expression_error(expression)
  for _, form in ipairs({ "return (%s)", "return %s" }) do
    local parsed, why = load((form:gsub("%%s", function() return expression end)), "=splice", "t")
    if not parsed then return (why:gsub("^splice:%d+: ", "")) end
  end
end

-- Splits a text line into { text, expression, text, ... }, odd entries text; or nil and a message.
local function split_line(line)
  local parts, at = {}, 1
  while true do
    local from = line:find("${", at, true)
    if not from then break end
    local to = closing_brace(line, from + 2)
    if not to then return nil, "'${' without its '}'" end
    local expression = line:sub(from + 2, to - 1)
    local why = expression_error(expression)
    if why then return nil, "bad splice '${" .. expression .. "}': " .. why end
    parts[#parts + 1] = line:sub(at, from - 1)
    parts[#parts + 1] = expression
    at = to + 1
  end
  parts[#parts + 1] = line:sub(at)
  return parts
end

local function stands_alone(parts)
  return #parts == 3 and not parts[1]:find("%S") and not parts[3]:find("%S")
end

-- One line of text as one line of Lua, or nil and a message.
local function text_to_lua(line)
  local parts, why = split_line(line)
  if not parts then return nil, why end
  if stands_alone(parts) then return ("_block(_out, %q, (%s))"):format(parts[1], parts[2]) end
  for i, part in ipairs(parts) do
    parts[i] = i % 2 == 1 and ("%q"):format(part) or "_inline((" .. part .. "))"
  end
  return "_out[#_out + 1] = " .. table.concat(parts, " .. ")
end

local function line_to_lua(line)
  if line:find("^%s*%$%$") then return nil, "'$$' begins a stage, which only files of fragments have" end
  local statement = line:match("^%s*%$ (.*)$") or line:match("^%s*%$$") and ""
  if statement then return statement end
  return text_to_lua(line)
end

local function lines_of(source)
  return (source:gsub("\n?$", "\n", 1)):gmatch("(.-)\r?\n")
end

-- The whole template as Lua with the same line numbers, or nil and a message.
local function translate(source, name)
  local lua = {}
  for line in lines_of(source) do
    local translated, why = line_to_lua(line)
    if not translated then return nil, ("%s:%d: %s"):format(name, #lua + 1, why) end
    lua[#lua + 1] = translated
  end
  return table.concat(lua, "\n")
end

-- -- Rendering ------------------------------------------------------------------------------------------------------

-- The global scope of a running template: env, then the builtins; unknown names and new globals are errors.
local function make_scope(env, out)
  local own = { _out = out, _inline = splice_inline, _block = splice_block }
  return setmetatable(own, {
    __index = function(scope, key)
      local value = env[key]
      if value == nil then value = BUILTINS[key] end
      if value == nil then error("undefined template name '" .. tostring(key) .. "'", 2) end
      rawset(scope, key, value) -- found once: most of a rendering's time would be spent looking
      return value
    end,
    __newindex = function(_, key)
      error("template name '" .. tostring(key) .. "' is assigned but not local", 2)
    end,
  })
end

-- Lua shortens long chunk names in its messages; puts the full one back.
local function with_full_name(message, name, chunk)
  local short = chunk and debug.getinfo(chunk, "S").short_src or ""
  if message:sub(1, #short + 1) == short .. ":" then return name .. message:sub(#short + 1) end
  return message
end

-- Makes the message handler for xpcall: a message raised in a function the template called gets the position of the
-- call in front.
local function position_adder(name)
  return function(problem)
    local message = tostring(problem)
    for level = 2, 200 do
      local frame = debug.getinfo(level, "Sl")
      if not frame then break end
      if frame.source == "@" .. name then
        local own = frame.short_src .. ":" .. frame.currentline .. ": "
        if message:sub(1, #own) == own then message = message:sub(#own + 1) end
        return ("%s:%d: %s"):format(name, frame.currentline, message)
      end
    end
    return message
  end
end

-- Compiles template text. Returns render, or nil and a message. `name` is the path shown in messages.
-- render(env) returns the text, which ends with a newline unless it is empty; or nil and a message "name:line: ...".
function template.compile(source, name)
  local lua, why = translate(source, name)
  if not lua then return nil, why end
  local parsed, syntax_error = load(lua, "@" .. name, "t", {})
  if not parsed then return nil, with_full_name(syntax_error, name, load("", "@" .. name)) end
  local in_scope = compat.with_scope(lua, "@" .. name)
  return function(env)
    local out = {}
    local ok, problem = xpcall(in_scope(make_scope(env, out)), position_adder(name))
    if not ok then return nil, problem end
    if #out == 0 then return "" end
    return table.concat(out, "\n") .. "\n"
  end
end

-- -- Stages ---------------------------------------------------------------------------------------------------------

-- The name in a line that begins a stage; or nil and what is wrong with it. seen: the lines of stages before it.
local function stage_name(line, known, seen)
  local stage = line:match("^%$%$ stage: ([%l%d_]+)$")
  local operation = line:match("^%$%$ operation: ([%l%d_]+)$")
  if operation and known["operation *"] then
    stage = "operation " .. operation
  elseif not stage then
    return nil, "a stage begins with a line '$$ stage: NAME'"
  elseif not known[stage] then
    return nil, ("no template has a stage '%s'"):format(stage)
  end
  if seen[stage] then return nil, ("stage '%s' again, after line %d"):format(stage, seen[stage]) end
  return stage
end

-- Splits a file of fragments: its lines, each with the name of its stage, "" before the first; and the stages in order.
-- Or nil and a message.
local function split_stages(source, name, known)
  local lines, stages, seen, current = {}, {}, {}, ""
  for line in lines_of(source) do
    local number = #lines + 1
    if line:find("^%s*%$%$") then
      local stage, why = stage_name(line, known, seen)
      if not stage then return nil, ("%s:%d: %s"):format(name, number, why) end
      stages[#stages + 1], seen[stage], current, line = stage, number, stage, "$"
    elseif current == "" and line:find("^%s*[^%s$]") then
      return nil, ("%s:%d: text before the first stage"):format(name, number)
    end
    lines[number] = { text = line, stage = current }
  end
  return lines, stages
end

-- The text of one stage: lines of others are empty ones of Lua, so that positions stay those of the file.
local function stage_source(lines, stage)
  local texts = {}
  for i, line in ipairs(lines) do
    local is_own = line.stage == stage or line.stage == "" and line.text:find("%S")
    texts[i] = (is_own and line.text or "$") .. "\n"
  end
  return table.concat(texts)
end

-- Compiles a file of fragments. known: a set of the names that stages may have; with "operation *", any operation too.
-- Returns { [stage] = render } and the stages in their order; or nil and a message "name:line: ...".
function template.compile_stages(source, name, known)
  local lines, stages = split_stages(source, name, known)
  if not lines then return nil, stages end
  local renders = {}
  for _, stage in ipairs(stages) do
    local render, why = template.compile(stage_source(lines, stage), name)
    if not render then return nil, why end
    renders[stage] = render
  end
  return renders, stages
end

-- -- Files ----------------------------------------------------------------------------------------------------------

-- Reads and compiles the template at `path`; `name` (default: the path) is shown in messages.
function template.load(path, name)
  local source, why = fs.read(path)
  if not source then return nil, why end
  return template.compile(source, name or path)
end

-- The same for a file of fragments.
function template.load_stages(path, name, known)
  local source, why = fs.read(path)
  if not source then return nil, why end
  return template.compile_stages(source, name, known)
end

return template
