-- usage.lua: what is wrong with a command line, in words that name the option, what was found and what was expected.
-- Knows no option by name: rows are those of options.lua.
local text = require "base.text"

local usage = {}

-- Every flag there is, in order, for suggestions.
function usage.flags(rows)
  local flags = {}
  for _, row in ipairs(rows) do
    for flag in row.flags:gmatch("%-%-%S+") do flags[#flags + 1] = flag end
  end
  return flags
end

local function row_of(rows, flag)
  for _, row in ipairs(rows) do
    if (" " .. row.flags .. " "):find(" " .. flag .. " ", 1, true) then return row end
  end
end

-- What argparse says, and how users are told of it: a pattern of the flag, and what to say of it.
local COMPLAINTS = {
  { pattern = "^unknown option '(.-)'", say = function(flag, rows)
    local near = text.nearest(flag, usage.flags(rows))
    return ("unknown option '%s'%s"):format(flag, near and ("; did you mean %s?"):format(near) or "; see --help")
  end },
  { pattern = "^option '(.-)' requires an argument", say = function(flag, rows)
    return ("%s needs a value: %s %s"):format(flag, flag, row_of(rows, flag).value)
  end },
  { pattern = "^option '(.-)' does not take arguments", say = function(flag, _, args)
    for _, arg in ipairs(args) do
      if arg:sub(1, #flag + 1) == flag .. "=" then return ("%s takes no value, found '%s'"):format(flag, arg) end
    end
    return flag .. " takes no value"
  end },
  { pattern = "^option '(.-)' must be used at most 1 time", say = function(flag)
    return flag .. " is given twice; give it once"
  end },
}

-- argparse's message as one of ours. args: the arguments it read.
function usage.in_our_words(message, rows, args)
  for _, complaint in ipairs(COMPLAINTS) do
    local flag = message:match(complaint.pattern)
    if flag then return complaint.say(flag, rows, args) end
  end
  return message
end

-- What is wrong with values for any option: that there is none, or for a folder of the installation that it says
-- nothing without knowing where ninja runs. nil where all are fit.
function usage.unfit_value(parsed, rows)
  for _, row in ipairs(rows) do
    local values = row.value and parsed[row.key]
    for _, value in ipairs(type(values) == "table" and values or { values or nil }) do
      local flag = row.flags:match("%S+")
      if value == "" then return ("%s needs a value: %s %s"):format(flag, flag, row.value) end
      if row.last_wins and value:sub(1, 1) ~= "/" then
        return ("%s must be an absolute path, found '%s'"):format(flag, value)
      end
    end
  end
end

return usage
