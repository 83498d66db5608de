-- graph.lua: out/kernels.ninja as a whole: shared parts, products, and the names build.ninja's targets go by. The tests
-- have a graph of their own, test_graph.lua. How each edge looks is in edges.lua.
local Edges = require "build.edges"
local lua_edges = require "build.lua_edges"
local wheel_edges = require "build.wheel_edges"

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

-- Adds the edges of all that is made for users and for the demo. models: an array of { spec, path }. Returns the parts
-- that all share, and for each model what edges:product gave.
function graph.add_products(edges, models)
  edges:public_headers()
  local parts, products = edges:shared_parts(Edges.PLAIN), {}
  if edges.wheel_platform then wheel_edges.add_shared(edges, "out") end
  if edges.makes_lua then parts.lua = lua_edges.add_shared(edges, "out") end
  for i, model in ipairs(models) do products[i] = edges:product(model, parts, "out") end
  return parts, products
end

-- The files of these products under one key of edges:product, in order.
graph.collect = collect

-- Names for what build.ninja's targets are made of. Returns what the user gets of the products.
local function add_targets(edges, parts, products, users)
  local w, shared = edges.w, { parts.weights, parts.program }
  local headers, libraries, programs = collect(users, "header"), collect(users, "libraries"), collect(users, "program")
  local bound = joined(collect(users, "wheels"), collect(users, "lua_modules"), parts.lua)
  edges:section("Targets")
  w:phony("all", joined(headers, libraries, programs, bound, shared, edges.headers))
  w:phony("tested", joined({ "all", parts.core_archive }, collect(products, "archive")))
  w:phony("public_headers", edges.headers)
  w:build({ rule = "bench", outputs = { "out/run_bench" }, implicit = programs,
    variables = { { "programs", words(programs) } } })
  w:build({ rule = "install", outputs = { "install" }, implicit = { "all" }, variables = {
    { "headers", words(headers) }, { "runtime_headers", words(edges.headers) },
    { "libraries", words(joined(libraries, shared)) }, { "programs", words(programs) },
  } })
  return joined(headers, libraries, programs, bound)
end

-- The first `count` of a list.
local function first(list, count)
  local some = {}
  for i = 1, count do some[i] = list[i] end
  return some
end

-- Makes the text of out/kernels.ninja. models: models.collect's; answers: configure's; abi: a number. Returns the
-- text, and the paths of what users are given.
function graph.make(models, answers, abi)
  local edges = Edges.new(answers.built, abi, not answers.jansson, answers.precompiles and "out/obj/intrinsics")
  edges.wheel_platform = answers.makes_wheels and answers.wheel_platform
  edges.makes_lua, edges.lua54 = answers.makes_lua, answers.lua54
  edges.w:comment("Written by configure; read build.ninja first.")
  local parts, products = graph.add_products(edges, models.products)
  local given = joined(add_targets(edges, parts, products, first(products, #models.configured)), edges.maps)
  return edges.w:text(), given
end

return graph
