-- graph.lua: out/test/build.ninja as a whole: the tests' binaries, their steps, and the names of both, in a graph
-- that is only made when tests are asked for. The files from which products are made are its leaves: build.ninja has
-- them made before, so that nothing is compiled twice and no two ninjas share a log.
local Edges = require "build.edges"
local Steps = require "tests.build.step_edges"
local add_steps = require "tests.build.steps"
local add_tests = require "tests.build.binaries"
local graph = require "build.graph"
local inputs = require "tests.build.inputs"

local joined = Edges.joined

-- The parts and products of the build around this one, whose edges stay there.
local function leaves(isas, abi, models, has_text)
  local edges = Edges.new(isas, abi, { text = has_text })
  local parts, products = graph.add_products(edges, models)
  return { parts = parts, products = products, headers = edges.headers, objects = edges.library[Edges.PLAIN],
    archives = graph.collect(products, "archive") }
end

local function first(list, count)
  local some = {}
  for i = 1, count do some[i] = list[i] end
  return some
end

-- Names by which build.ninja asks for binaries.
local function add_targets(edges, tests)
  local w = edges.w
  edges:section("Targets")
  w:phony("some_test_binaries", joined({ tests.some }, tests.units.objects))
  w:phony("soak_binary", { tests.soak })
  w:phony("bits_binary", { tests.bits })
  w:phony("some_bits_binary", { tests.some_bits })
  w:phony("numbers_binary", { tests.numbers })
  w:phony("combination_parts", tests.parts)
end

-- folder: where the texts go; saved: what configure saved; models: models.tested's. Returns an array of { name, text }
-- for fs.write_all, and the folders that were listed.
return function(folder, saved, models)
  local has_text = saved.answers.text ~= nil
  local built = leaves(saved.answers.built, saved.abi, models.products, has_text)
  local edges = Edges.new(saved.answers.built, saved.abi, { text = has_text, sqlite = saved.answers.sqlite,
    intrinsics = saved.answers.precompiles and folder .. "/intrinsics" })
  for _, entry in ipairs(saved.answers.isas) do edges.runs[entry.name] = entry.runs end
  edges.headers = built.headers
  models.configured = first(models.products, saved.configured)
  edges.w:comment("Written by configure_tests.lua; read build.ninja first.")
  edges.w:line(("builddir = %s\ninclude out/config.ninja\ninclude rules.ninja"):format(folder))
  local tests = add_tests(edges, built.parts, first(built.products, saved.configured), models, saved.answers)
  local steps = Steps.new(edges.w, folder)
  edges:section("Steps")
  local texts = add_steps(steps, saved, built, tests, models)
  add_targets(edges, tests)
  for _, list in ipairs(steps:lists()) do texts[#texts + 1] = list end
  texts[#texts + 1] = { "build.ninja", edges.w:text() }
  return texts, inputs.folders("generator", "templates", "tests", "runtime", "program", "specs", "text", "bindings")
end
