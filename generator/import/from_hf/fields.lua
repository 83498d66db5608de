-- from_hf/fields.lua: what all models that are read of files have: a name made from the file's, and the fields that
-- flags give.
local spec = require "spec"

local fields = {}

local function name_field()
  for _, field in ipairs(spec.options()) do
    if field.field == "name" then return field end
  end
end

-- A name for a model from that of its folder or file, or the fallback.
function fields.name_of(name, fallback)
  local made = name:lower():gsub("[^a-z0-9]+", "_"):gsub("^_+", ""):gsub("^(%d)", "m_%1")
  made = made:sub(1, name_field().most_letters):gsub("_+$", "")
  return name_field().check(made) and made or fallback
end

-- Fields given by flags that no row has. model: { made, rows }.
function fields.add_given(model, given)
  local has = {}
  for _, row in ipairs(model.rows) do has[row.field or ""] = true end
  for _, field in ipairs(spec.options()) do
    local value = given[field.field]
    if value ~= nil then
      model.made[field.field] = value
      if not has[field.field] then
        model.rows[#model.rows + 1] = { config = field.flag, field = field.field, made = value, note = "as asked for" }
      end
    end
  end
end

return fields
