-- lua_edges.lua: the edges of a model's module for LuaJIT and Lua 5.4: what all models share, the model's own file, its
-- library, its C module and its rockspec. What is in these files is said in bindings/lua and bindings/luajit.
local compat = require "base.compat"
local fs = require "base.fs"
local ninja = require "ninja"
local release = require "build.release"

local lua_edges = {}

local PACKAGE, LUAJIT, LUA = "bindings/lua/package", "bindings/luajit", "bindings/lua"
local C_FILES = { "core", "facts", "frame", "memory", "objects" }
-- Those of the module of text, which knows no model.
local TEXT_FILES = { "text", "memory" }
local VERSION = "program/commands/program.h"
local HEADERS = "runtime/include/genattn"

local function paths_in(folder)
  local paths = {}
  for _, name in ipairs(assert(fs.list(folder))) do paths[#paths + 1] = folder .. "/" .. name end
  return paths
end

local function declared_header(root)
  return root .. "/lua/obj/declared.h"
end

local function declarations(edges, output, what)
  local inputs = paths_in(HEADERS)
  inputs[#inputs + 1] = "bindings/python/headers.lua"
  inputs[#inputs + 1] = edges.TEXT_HEADER
  edges.w:build({ rule = "lua_declarations", outputs = { output }, variables = { { "what", what } },
    implicit = { LUAJIT .. "/declarations.lua", compat.unpack(inputs) } })
  return output
end

-- The files in `root`/lua that are copies, and what they are copies of.
local function shared_paths(root)
  local paths, sources = {}, paths_in(PACKAGE)
  for i, path in ipairs(sources) do paths[i] = root .. "/lua/genattn/" .. path:match("[^/]*$") end
  return paths, sources
end

-- What all modules in `root`/lua share; once, before the first of them. Returns the paths.
function lua_edges.add_shared(edges, root)
  local folder, made, sources = root .. "/lua/genattn/", shared_paths(root)
  for i, path in ipairs(made) do edges:copy(sources[i], path) end
  for _, name in ipairs { "ffi.lua", "text_ffi.lua" } do
    made[#made + 1] = edges:copy(LUAJIT .. "/" .. name, folder .. name)
  end
  made[#made + 1] = declarations(edges, folder .. "declarations.lua", "ffi")
  if edges.lua54 then declarations(edges, declared_header(root), "c") end
  return made
end

-- libga_text for each host, once for a root and only where a model takes tokens: it is loaded when a text is asked for.
-- Returns the paths.
local function text_modules(edges, archive, root)
  if edges.lua_text[root] then return edges.lua_text[root] end
  local folder = root .. "/lua/genattn/"
  local made = { edges:shared_object("shared_whole", folder .. "text_library.so", { archive }, "out/lib/ga_text.map",
    "$text_libraries") }
  if edges.lua54 then
    local inputs = {}
    for i, file in ipairs(TEXT_FILES) do
      inputs[i] = edges:compile({ variables = {} }, ("%s/%s.c"):format(LUA, file),
        ("%s/lua/obj/genattn/%s.o"):format(root, file), "$text_includes " .. edges.lua54.cflags)
    end
    inputs[#inputs + 1] = archive
    made[#made + 1] = edges:shared_object("shared_whole", folder .. "text_core.so", inputs, LUA .. "/core.map",
      "$text_libraries")
  end
  edges.lua_text[root] = made
  return made
end

-- The C module of Lua 5.4.
local function c_module(edges, name, archives, root)
  local inputs, folder = {}, ("%s/lua/obj/%s/"):format(root, name)
  local flags = ("$runtime_includes %s -I %s/lua/obj -DGA_LUA_MODEL=%s"):format(edges.lua54.cflags, root, name)
  for i, file in ipairs(C_FILES) do
    inputs[i] = edges:compile({ variables = {} }, ("%s/%s.c"):format(LUA, file), folder .. file .. ".o", flags, nil,
      { declared_header(root) })
  end
  for _, archive in ipairs(archives) do inputs[#inputs + 1] = archive end
  return edges:shared_object("shared_whole", ("%s/lua/%s/core.so"):format(root, name), inputs, LUA .. "/core.map")
end

-- A file written by a script of bindings/lua from the model's spec and more words.
local function written(edges, model, script, output, more, implicit)
  edges.w:build({ rule = "lua_module", outputs = { output }, inputs = { model.path },
    implicit = { script, compat.unpack(implicit or {}) },
    variables = { { "script", script }, more and { "more", more } } })
  return output
end

-- What LuaRocks builds and installs the C module by.
local function rockspec(edges, model, text, root)
  local path = ("%s/lua/%s-%s-1.rockspec"):format(root, model.spec.name, release().version)
  local words = text and text .. " '$text_libraries'" or "none none"
  local more = ninja.raw(("%s %s %s"):format(root, words, table.concat(shared_paths(root), " ")))
  return written(edges, model, LUA .. "/rockspec.lua", path, more, { VERSION })
end

-- Adds the module of a model { spec, path } to `root`/lua. archives: its library and that of weight files; text: that
-- of libga_text, or nil. Returns the paths.
function lua_edges.add(edges, model, archives, text, root)
  local name, folder = model.spec.name, root .. "/lua/"
  local made = {
    written(edges, model, LUA .. "/module_file.lua", folder .. name .. ".lua"),
    edges:shared_object("shared_whole", folder .. name .. "/library.so", archives, ("out/lib/%s.map"):format(name)),
  }
  text = model.spec.vocab_size and text
  if edges.lua54 then
    made[#made + 1] = c_module(edges, name, archives, root)
    made[#made + 1] = rockspec(edges, model, text, root)
  end
  if text then
    for _, path in ipairs(text_modules(edges, text, root)) do made[#made + 1] = path end
  end
  edges.w:phony("lua_" .. name, made)
  return made
end

return lua_edges
