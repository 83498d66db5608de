-- extremes.lua: writes wisdom with the least or the greatest candidate of each tuning parameter of a model, which must
-- change no bit. Builds nothing.
local files = require "plan.files"
local fs = require "base.fs"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

-- Which candidate a parameter takes, by the word in TUNED; turns: the least and the greatest in turns.
local CHOOSE = {
  least = function(candidates) return candidates[1] end,
  most = function(candidates) return candidates[#candidates] end,
  turns = function(candidates, i) return candidates[i % 2 == 0 and 1 or #candidates] end,
}

local function entry(s, p, choose)
  local values = {}
  for i, parameter in ipairs(p.kernels.tuning.list) do values[parameter.name] = choose(parameter.candidates, i) end
  return { cpu = "none", l1d = "0", l2 = "0", compiler = "none", plan = tostring(tuning.REVISION), isa = p.isa.name,
    spec = wisdom.spec_key(s), gain = 1, values = values }
end

-- Writes the wisdom of a model { spec, isas } to a folder; its path.
return function(folder, model, word)
  local choose = CHOOSE[word] or error("TUNED=" .. word .. "; expected least, most or turns", 0)
  local entries = {}
  for i, p in ipairs(files.plans(model.spec, model.isas)) do entries[i] = entry(model.spec, p, choose) end
  local name = model.spec.name .. ".wisdom"
  assert(fs.write_all(folder, { { name, wisdom.text(entries) } }))
  return folder .. "/" .. name
end
