-- modifier_models.lua: the test models of score modifiers that no spec of tests/specs has on: a small layer with the
-- examples of the modifier's fields, and a sink, so that a number added to all scores of a row has an effect. Such a
-- model is one of those that `ninja check` is about (roles.lua).
local fs = require "base.fs"
local modifiers = require "attention.modifiers"
local sandbox = require "schema.sandbox"
local spec = require "spec"

local modifier_models = {}

-- What is not an example's: enough heads, keys and rows for whole vectors and parts of them. Scores are no output, so
-- that log2 e is in the units in which modifiers find them.
local BASE = { d_model = 40, n_heads = 5, seq_len = "1..40", sinks = true, outputs = { "attention" }, unroll = 1 }

-- The fields that a field's example gives.
local function example_of(field)
  return assert(sandbox.read("{ " .. field.example .. " }"), field.example)
end

-- Whether one of the specs gives a field of the modifier.
local function is_on(modifier, specs)
  for _, s in ipairs(specs) do
    for _, entry in ipairs(s.given) do
      for _, field in ipairs(modifier.fields) do
        if entry.field == field.field then return true end
      end
    end
  end
  return false
end

-- The spec of a modifier, or nil and every error.
local function spec_of(modifier)
  local fields = { name = "modifier_" .. modifier.name }
  for key, value in pairs(BASE) do fields[key] = value end
  for _, field in ipairs(modifier.fields) do
    for key, value in pairs(example_of(field)) do fields[key] = value end
  end
  return spec.from_fields(fields, "the test model of score modifier " .. modifier.name)
end

-- The specs of all modifiers that none of these specs has on, in order; messages are appended to errors.
function modifier_models.specs(specs, errors)
  local list = {}
  for _, modifier in ipairs(modifiers) do
    if not is_on(modifier, specs) then
      local s, why = spec_of(modifier)
      list[#list + 1] = s
      for _, message in ipairs(why or {}) do errors[#errors + 1] = message end
    end
  end
  return list
end

-- The same as models { spec, path }, each spec written to a file in a folder.
function modifier_models.written(folder, models, errors)
  local specs, list = {}, {}
  for i, model in ipairs(models) do specs[i] = model.spec end
  for i, s in ipairs(modifier_models.specs(specs, errors)) do
    list[i] = { spec = s, path = ("%s/%s.lua"):format(folder, s.name) }
    assert(fs.write_if_changed(list[i].path, spec.text(s)) ~= nil, list[i].path)
  end
  return list
end

return modifier_models
