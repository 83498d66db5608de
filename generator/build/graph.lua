-- graph.lua: out/kernels.ninja as a whole: shared parts, products, and the names build.ninja's targets go by. The tests
-- have a graph of their own, graph.lua. How each edge looks is in edges.lua.
local Edges = require "build.edges"
local compat = require "base.compat"
local install = require "build.install"
local lua_edges = require "build.lua_edges"
local ninja = require "ninja"
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

-- What programs print of themselves for the installation. Returns the paths.
local function printed(w, users)
  local paths = {}
  for _, user in ipairs(users) do
    for _, row in ipairs(install.PRINTED) do
      local path = install.printed_path(row, user.program:match("[^/]*$"))
      w:build({ rule = "print", outputs = { path }, inputs = { user.program },
        variables = { { "option", row.option } } })
      paths[#paths + 1] = path
    end
  end
  return paths
end

-- The archives of models, each for a name of its own.
local function add_archives(edges, models)
  for _, model in ipairs(models) do
    local name, generated = model.spec.name, {}
    local folder = Edges.generated_folder("out", name)
    for i, output in ipairs(edges:outputs(model)) do generated[i] = folder .. "/" .. output.path end
    edges.w:build({ rule = "dist_model", outputs = { "dist-" .. name }, implicit = joined(generated, { model.path }),
      variables = { { "spec", ninja.word(model.path) }, { "isa", table.concat(edges:isas_of(model), ",") },
        { "dir", folder } } })
  end
end

local FIND_FILES = "find -L * '(' -path out -o -path source -o -path '*/.*' ')' -prune -o -type f -print"

-- The hand-written files of this tree, so that ninja takes each as a target after `tests-of`. Files of editors and of
-- Python have other names.
local function add_tree(w)
  local found, files = compat.capture(FIND_FILES), {}
  for path in found:gmatch("[^\n]+") do
    if path:find("^[%w_./+-]+$") and not path:find("%.pyc$") then files[#files + 1] = path end
  end
  table.sort(files)
  w:phony("tree", files)
end

-- Names for what build.ninja's targets need. Returns what the user gets of the products.
local function add_targets(edges, parts, products, users, prints)
  local w, shared = edges.w, joined({ parts.weights, parts.program, parts.text }, parts.text_shared)
  local headers, libraries, programs = collect(users, "header"), collect(users, "libraries"), collect(users, "program")
  local bound = joined(collect(users, "wheels"), collect(users, "lua_modules"), parts.lua)
  edges:section("Targets")
  local pages = prints and printed(w, users) or {}
  local bindings = joined(collect(users, "sqlite"), bound)
  w:phony("all", joined(headers, libraries, programs, bindings, shared, edges.headers, pages))
  w:phony("tested", joined({ "all", parts.core_archive, parts.text_linked }, collect(products, "archive")))
  w:phony("public_headers", edges.headers)
  w:build({ rule = "bench", outputs = { "out/run_bench" }, implicit = programs,
    variables = { { "programs", words(programs) } } })
  w:build({ rule = "install", outputs = { "install" }, inputs = { install.LIST }, implicit = { "all" } })
  return joined(headers, libraries, programs, pages, bindings)
end

-- What is installed of the configured products, as install.list has it.
local function installed(edges, parts, users, prints)
  local given = { names = {}, programs = collect(users, "program"),
    shared = joined(collect(users, "shared"), parts.text_shared),
    archives = joined(collect(users, "archive"), { parts.weights, parts.text }), headers = collect(users, "header"),
    runtime_headers = edges.headers, prints = prints }
  for i, header in ipairs(given.headers) do given.names[i] = header:match("([^/]*)%.h$") end
  return given
end

-- The first `count` of a list.
local function first(list, count)
  local some = {}
  for i = 1, count do some[i] = list[i] end
  return some
end

-- Makes the text of out/kernels.ninja. models: models.collect's; answers: configure's; abi: a number. Returns the
-- text, the paths of what users are given, and what install.list makes the list of the installation from.
function graph.make(models, answers, abi)
  local edges = Edges.new(answers.built, abi, { libraries_only = not answers.jansson,
    -- An update of a compiler leaves compiled headers that the new one refuses: that must not stop a user's build.
    intrinsics = answers.reads_unfit and "out/obj/intrinsics", text = answers.text ~= nil, mpi = answers.mpi ~= nil,
    hwloc = answers.hwloc ~= nil, sqlite = answers.sqlite, lua = answers.makes_lua, lua54 = answers.lua54,
    wheel_platform = answers.makes_wheels and answers.wheel_platform })
  edges.w:comment("Written by configure; read build.ninja first.")
  local parts, products = graph.add_products(edges, models.products)
  local users, prints = first(products, #models.configured), answers.jansson and answers.runs
  local given = joined(add_targets(edges, parts, products, users, prints), edges.maps)
  add_archives(edges, first(models.products, #models.configured))
  add_tree(edges.w)
  return edges.w:text(), given, installed(edges, parts, users, prints)
end

return graph
