-- tested.lua: the models that tests are about. Reads specs; which tests take which of them is in roles.lua.
local fs = require "base.fs"
local modifier_models = require "tests.build.modifier_models"
local models = require "build.models"
local wisdom = require "plan.wisdom"

local TEST_SPECS, MODIFIER_SPECS = "tests/specs", "out/test/specs"
local EXAMPLES = { "examples/decoder.lua", "examples/encoder.lua", "tests/examples/mha_512_8.lua" }
local VERSIONS = { "tests/host/versions/first/twin.lua", "tests/host/versions/second/twin.lua" }

local function lua_files(folder)
  local paths = {}
  for _, name in ipairs(assert(fs.list(folder))) do
    if name:find("%.lua$") then paths[#paths + 1] = folder .. "/" .. name end
  end
  return paths
end

-- Gives a model the wisdom of its name in tests/wisdom, if there is any: a plan that the cost model would not make.
local function take_wisdom(model)
  local path = ("tests/wisdom/%s.txt"):format(model.spec.name)
  if not fs.exists(path) then return end
  model.spec.wisdom, model.wisdom = assert(wisdom.of_spec(assert(wisdom.read(path)), model.spec)), path
end

-- The models that tests are about, each { spec, path }: `tests` (of tests/specs, and of score modifiers that none of
-- those has on), `versions` (two of one name), `examples` (of examples/), and `products` of these paths; or nil and
-- every message.
return function(paths)
  local errors = {}
  local found = { products = models.from_files(paths, errors), tests = models.from_files(lua_files(TEST_SPECS), errors),
    versions = models.from_files(VERSIONS, errors), examples = models.from_files(EXAMPLES, errors) }
  for _, model in ipairs(modifier_models.written(MODIFIER_SPECS, found.tests, errors)) do
    found.tests[#found.tests + 1] = model
  end
  models.check_names(found.tests, errors)
  if #errors > 0 then return nil, errors end
  for _, model in ipairs(found.tests) do take_wisdom(model) end
  return found
end
