-- step_commands.lua: small words that the tables of test steps are written in. Adds no step.
local fmt = require "base.fmt"

local commands = {}

commands.NO_CRITERION = "Criterion is missing (Debian: libcriterion-dev): runtime and weight file tests"

function commands.quoted(paths)
  local words = {}
  for i, path in ipairs(paths) do words[i] = fmt.sh_quote(path) end
  return table.concat(words, " ")
end

function commands.base(path)
  return path:match("[^/]*$")
end

-- Calls that share weights and threads: the arguments for so many rounds, of those models that are in the set `some`,
-- where it is given.
function commands.sharing(rounds, models, some)
  local words = { rounds }
  for _, model in ipairs(models) do
    if not some or some[model.spec.name] then words[#words + 1] = model.spec.name end
  end
  return table.concat(words, " ")
end

return commands
