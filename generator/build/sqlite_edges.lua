-- sqlite_edges.lua: the edges of out/lib/sqlite_NAME.so, an extension of SQLite that makes vectors of texts. Which
-- models have one is decided here: those that take tokens and pool their rows.
local fs = require "base.fs"

local sqlite_edges = {}

local FOLDER, MAP = "bindings/sqlite", "out/lib/sqlite.map"
-- The file that is compiled for each model.
local OWN = "model"
local FLAGS = "$runtime_includes $text_includes -I program/commands"

-- The objects that all extensions share; made once for an Edges.
local function shared_objects(edges, profile)
  if not edges.sqlite_objects then
    edges.sqlite_objects = edges:folder_objects(profile, FOLDER, FLAGS, function(name) return name ~= OWN end)
    assert(fs.write_if_changed(MAP, "{\n  global: sqlite3_extension_init;\n  local: *;\n};\n") ~= nil)
    edges.maps[#edges.maps + 1] = MAP
  end
  return edges.sqlite_objects
end

-- Adds the extension of a model. archives: its own, and those of weights and text. Returns the paths: one, or none for
-- a model that gives no vector of a text.
function sqlite_edges.add(edges, profile, model, archives, root)
  local name = model.spec.name
  if not model.spec.pool or not model.spec.vocab_size then return {} end
  local shared = shared_objects(edges, profile)
  local own = edges:compile(profile, ("%s/%s.c"):format(FOLDER, OWN), ("%s/%s/%s.o"):format(profile.obj, FOLDER, name),
    ("%s -DGA_SQLITE_MODEL=%s"):format(FLAGS, name))
  return { edges:shared_object("shared", ("%s/lib/sqlite_%s.so"):format(root, name),
    edges.joined(shared, { own }, archives), MAP, "$text_libraries") }
end

return sqlite_edges
