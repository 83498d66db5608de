-- graph.lua: out/kernels.ninja as a whole: shared parts, products, tests, and the names build.ninja's targets go by.
-- How each edge looks is in edges.lua and test_edges.lua.
local Edges = require "configure.edges"
local add_tests = require "configure.test_edges"

local graph = {}

local joined = Edges.joined

local function collect(products, key)
  local list = {}
  for _, product in ipairs(products) do
    list = joined(list, type(product[key]) == "table" and product[key] or { product[key] })
  end
  return list
end

local function words(list)
  return table.concat(list, " ")
end

-- Names for what build.ninja's targets are made of.
local function add_targets(edges, parts, products, tests)
  local w, shared = edges.w, { parts.weights, parts.program }
  local headers, libraries, programs = collect(products, "header"), collect(products, "libraries"),
    collect(products, "program")
  edges:section("Targets")
  w:phony("all", joined(headers, libraries, programs, shared, edges.headers))
  w:phony("test_binaries", joined(tests.plain.criterion, tests.plain.program, tests.plain.quiet, tests.plain.failing,
    tests.programs, tests.versions, { tests.configured, tests.two, tests.unknown_cpu, tests.numbers }, tests.products))
  w:phony("some_test_binaries", joined({ tests.some }, tests.plain.objects))
  w:phony("soak_binary", { tests.soak })
  w:phony("sanitized_binaries", joined(tests.sanitized.criterion, tests.sanitized.program, tests.races.program))
  w:phony("races_binaries", tests.races.program)
  w:phony("emulated_binaries", { tests.emulated })
  w:phony("memory_binaries", joined(tests.plain.program, tests.unset and tests.unset.program))
  w:phony("combination_parts", joined(tests.parts, edges.headers))
  w:phony("public_headers", edges.headers)
  w:build({ rule = "bench", outputs = { "out/run_bench" }, implicit = programs,
    variables = { { "programs", words(programs) } } })
  w:build({ rule = "install", outputs = { "install" }, implicit = { "all" }, variables = {
    { "headers", words(headers) }, { "runtime_headers", words(edges.headers) },
    { "libraries", words(joined(libraries, shared)) }, { "programs", words(programs) },
  } })
end

-- Makes the text of out/kernels.ninja. models: models.collect's; isas: names, best first; abi: a number;
-- has: whether there is { criterion, simde }, which some tests need, and isas as in ask.lua. Returns the text, the
-- paths of the test binaries (test_edges.lua) and of the libraries tested, and those of the libraries' objects.
function graph.make(models, isas, abi, has)
  local edges = Edges.new(isas, abi)
  for _, entry in ipairs(has.isas) do edges.runs[entry.name] = entry.runs end
  edges.w:comment("Written by configure; read build.ninja first.")
  edges:public_headers()
  local parts = edges:shared_parts(Edges.PLAIN)
  local products, users = {}, {}
  for i, model in ipairs(models.products) do
    products[i] = edges:product(model, parts)
    if i <= #models.configured then users[i] = products[i] end
  end
  local tests = add_tests(edges, parts, models, users, has)
  tests.products = collect(products, "archive")
  add_targets(edges, parts, users, tests)
  tests.libraries = joined(collect(users, "libraries"), { parts.weights, parts.program }, tests.models)
  return edges.w:text(), tests, edges.library
end

return graph
