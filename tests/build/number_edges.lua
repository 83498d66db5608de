-- number_edges.lua: the edges of the program that measures for docs/numbers.md, whose parts open functions of generated
-- files: which file holds which, and under what name it is opened. What is measured is in tests/numbers.
local Edges = require "build.edges"
local isa = require "isa"
local ninja = require "ninja"

local PLAIN, joined = Edges.PLAIN, Edges.joined

local FOLDER, INCLUDES = "tests/numbers", "$runtime_includes $test_includes -I tests/numbers"

-- For each instruction set: a test model's file, and what of it is opened: rows are activations over rows, at
-- most two.
local OPENED = {
  { model = "odd_33_3", file = "attend", softmax = true },
  { model = "rotary_57_6", file = "layer", rows = { "gelu_tanh", "tanh" } },
  { model = "bert_48_4", file = "stack", rows = { "gelu" }, norm = "layer" },
  { model = "llama_45_3", file = "stack", rows = { "silu" }, norm = "rms" },
}
-- Tables that packing computes, equal for all instruction sets. is: the description of the table in the plainest set's
-- file.
local TABLES = {
  { model = "rotary_57_6", file = "parts", name = "rope", is = "angles_1" },
  { model = "transformer_40_2", file = "parts", name = "position", is = "angles_3" },
}

-- The file of an entry for one instruction set, in its model's folder.
local function file_of(set, entry)
  return ("%s__%s_%s.c"):format(entry.model, set, entry.file)
end

local function define(name, value)
  return ("-DNUMBERS_%s=%s"):format(name, value)
end

local function flags_of(set, entry, words)
  local file = define("FILE", ("'\"%s\"'"):format(file_of(set, entry)))
  local own = { INCLUDES, "-I out/gen/test/" .. entry.model, file }
  return table.concat(joined(own, words, isa.get(set).cflags), " ")
end

local function words_of(set, entry)
  local words = {}
  local function open(what, name) words[#words + 1] = define(what .. "_AS", ("numbers_%s__%s"):format(name, set)) end
  if entry.softmax then open("SOFTMAX", "softmax") end
  if entry.norm then open("NORM", entry.norm .. "_norm") end
  for i, rows in ipairs(entry.rows or {}) do
    words[#words + 1] = define("ROWS_" .. i, rows .. "_rows")
    open("ROWS_" .. i, rows)
  end
  return words
end

local function open_file(edges, set, entry, words)
  local object = ("%s/%s/%s"):format(PLAIN.obj, FOLDER, file_of(set, entry):gsub("c$", "o"))
  edges.w:build({ rule = "cc", outputs = { object }, inputs = { FOLDER .. "/open.c" }, order_only = edges.headers,
    implicit = { ("out/gen/test/%s/%s"):format(entry.model, file_of(set, entry)) },
    variables = { { "flags", ninja.raw(flags_of(set, entry, words)) } } })
  return object
end

-- The objects of the program, which is to be linked with the models of roles.numbers.
return function(edges)
  local objects, list = {}, {}
  for _, set in ipairs(edges.isas) do
    list[#list + 1] = ("X(%s)"):format(set)
    for _, entry in ipairs(OPENED) do objects[#objects + 1] = open_file(edges, set, entry, words_of(set, entry)) end
  end
  for _, entry in ipairs(TABLES) do
    local words = { define("TABLE", entry.is), define("TABLE_AS", ("numbers_%s_table"):format(entry.name)) }
    objects[#objects + 1] = open_file(edges, edges.isas[#edges.isas], entry, words)
  end
  local flags = ("%s '-DNUMBERS_ISAS(X)=%s'"):format(INCLUDES, table.concat(list, " "))
  local measuring = edges:folder_objects(PLAIN, FOLDER, flags, function(name) return name ~= "open" end)
  return joined(measuring, objects)
end
