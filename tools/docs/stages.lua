-- stages.lua: the stages of fragments as Markdown, from the lists that the generator goes by.
local stages = {}

local LISTS = { feature = require "attention.stages", block = require "ops.stages" }

-- What a fragment of a feature or of a block does at each stage.
function stages.of(owner)
  local lines = { "| Stage | What a fragment does there |", "|---|---|" }
  for _, stage in ipairs(LISTS[owner]) do lines[#lines + 1] = ("| `%s` | %s |"):format(stage.name, stage.does) end
  return table.concat(lines, "\n")
end

return stages
