-- compat.lua: the one place where Lua 5.4 and LuaJIT differ.
-- Adds no features of its own; a difference that no caller meets is not papered over here.
local compat = {}

compat.unpack = table.unpack or unpack

-- The running Lua, for people: "Lua 5.4" or "LuaJIT 2.1.0-beta3".
compat.version = jit and jit.version or _VERSION

-- os.execute gives true/nil, "exit", code in 5.4 and the raw wait status (code * 256) in LuaJIT.
local function exit_code(first, kind, code)
  if type(first) == "number" then
    return first % 256 == 0 and first / 256 or 128 + first % 128
  end
  return kind == "signal" and 128 + code or code
end

-- Runs a shell command; returns whether it succeeded, and its exit code (128 + n after signal n).
function compat.execute(command)
  local code = exit_code(os.execute(command))
  return code == 0, code
end

-- Starts a shell command; what it returns, once called, waits for its end and gives its stdout and stderr together, and
-- its exit code. LuaJIT's popen hides the code, so the shell prints it as the last line.
function compat.start(command)
  local pipe = assert(io.popen("( " .. command .. "\n) 2>&1; echo \" $?\"", "r"))
  return function()
    local text = pipe:read("*a")
    pipe:close()
    local output, code = text:match("^(.*) (%d+)\n$")
    if not output then return text, 127 end
    return output, tonumber(code)
  end
end

-- Runs a shell command; returns its stdout and stderr together, and its exit code.
function compat.capture(command)
  return compat.start(command)()
end

-- How a chunk is read once and run in many scopes: in 5.4 a scope is a local of the function around it, in LuaJIT what
-- that function's own scope is when it makes the chunk.
local AROUND = setfenv and "return function() %s\nend" or "local _ENV = ... return function() %s\nend"

-- Reads Lua text that was found to be a whole chunk. Returns scoped(scope), which gives the chunk as a function of its
-- own whose global names are those of the table `scope`. name: as load has it; line numbers are those of the text.
function compat.with_scope(text, name)
  local around = assert(load((AROUND:gsub("%%s", function() return text end)), name, "t"))
  if not setfenv then return around end
  return function(scope) return setfenv(around, scope)() end
end

-- The file that require(name) loads by the present package.path, or nil.
function compat.module_file(name)
  return (package.searchpath(name, package.path))
end

return compat
