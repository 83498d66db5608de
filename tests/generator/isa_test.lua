-- isa_test.lua: the instruction sets are whole tables with one vocabulary, which is what the templates use.
local fact = dofile("tests/generator/fact.lua")
local fs = require "base.fs"
local isa = require "isa"

local FIELDS = { name = "string", arch = "string", width = "number", registers = "number",
  max_accumulators = "number", type = "string", headers = "table", cflags = "table", cpu = "table",
  fma_per_cycle = "number", loads_per_cycle = "number", fma_latency = "number", lowest_exponent = "number",
  scale_shift = "number", spell = "table", helpers = "string", extras = "table", V = "table" }

-- What a set may have.
local OPTIONAL = { lanes = "string" }

-- What all sets say alike of sums over a row.
local LANES = { lanes_none = true, lanes_add = true, lanes_fmadd = true, lanes_sum = true }

-- Of each operation, how many operands it takes.
local OPERATIONS = { zero = 0, splat = 1, load = 1, store = 2, add = 2, sub = 2, mul = 2, max = 2, fmadd = 3,
  round = 1, above = 2, div = 2, fmsub = 3, sqrt = 1 }

local function each(f)
  for _, name in ipairs(isa.names()) do f(isa.get(name)) end
end

local function template_texts()
  local texts = {}
  for _, folder in ipairs({ "templates/attention/", "templates/linear/", "templates/model/", "templates/schedule/",
    "templates/attention/modifiers/", "templates/ops/" }) do
    for _, file in ipairs(assert(fs.list(folder))) do
      if file:find("%.lt$") then texts[#texts + 1] = assert(fs.read(folder .. file)) end
    end
  end
  return table.concat(texts, "\n")
end

fact.holds("every file of the folder is a set of its name, widest first, scalar last", function()
  local listed, widest = { init = true }, math.huge
  each(function(set)
    listed[set.name] = true
    assert(set.width < widest, set.name)
    fact.equal(isa.get(set.name), set)
    widest = set.width
  end)
  for _, file in ipairs(assert(fs.list("generator/isa"))) do assert(listed[file:match("^(.*)%.lua$")], file) end
  fact.equal(isa.names()[#isa.names()], "scalar")
  fact.equal(isa.get("scalar").arch, "any")
  fact.equal(#isa.get("scalar").cpu, 0)
  fact.equal(#isa.get("scalar").cflags, 0)
end)

fact.holds("a set is made by compilers for its architecture", function()
  local avx2, scalar = isa.get("avx2"), isa.get("scalar")
  for machine, expected in pairs({ ["x86_64-linux-gnu"] = true, ["x86_64"] = true, ["aarch64-linux-gnu"] = false,
    ["i686-linux-gnu"] = false, [""] = false }) do
    fact.equal(isa.is_of(avx2, machine), expected)
    fact.equal(isa.is_of(scalar, machine), true)
  end
end)

fact.holds("unknown names are no instruction set", function()
  for _, name in ipairs({ "avx", "init", "../isa/avx2", "", "AVX2" }) do fact.equal(isa.get(name), nil) end
end)

fact.holds("ordered puts any list best first, each once", function()
  fact.lists_equal(isa.ordered({ "scalar", "avx512", "avx2", "scalar" }), { "avx512", "avx2", "scalar" })
  fact.lists_equal(isa.ordered({ "scalar" }), { "scalar" })
  fact.lists_equal(isa.ordered({}), {})
  fact.raises("'avx9'", isa.ordered, { "avx9" })
end)

fact.holds("every table has every field and no other", function()
  each(function(set)
    for field, kind in pairs(FIELDS) do assert(type(set[field]) == kind, set.name .. "." .. field) end
    for field in pairs(set) do assert(FIELDS[field] or OPTIONAL[field], set.name .. "." .. field) end
    assert(set.max_accumulators < set.registers)
  end)
end)

fact.holds("every table spells the same operations, each with its operands", function()
  each(function(set)
    for operation, operands in pairs(OPERATIONS) do
      local format = set.spell[operation] or error(set.name .. " does not spell " .. operation)
      local _, holes = format:gsub("%%s", "")
      fact.equal(holes, operands)
    end
    for operation in pairs(set.spell) do assert(OPERATIONS[operation], set.name .. "." .. operation) end
  end)
end)

fact.holds("the vocabulary gives C and knows no other word", function()
  fact.equal(isa.get("avx2").V.fmadd("a", "b", "c"), "_mm256_fmadd_ps(a, b, c)")
  fact.equal(isa.get("scalar").V.store("y + 1", "s"), "*(y + 1) = s")
  each(function(set)
    fact.equal(set.V.width, set.width)
    fact.equal(set.V.type, set.type)
    fact.raises("'frobnicate'", function() return set.V.frobnicate end)
  end)
end)

fact.holds("templates use only words of the vocabulary, and all of them", function()
  local used = {}
  for word in template_texts():gmatch("V%.([%a_]+)%(") do
    assert(OPERATIONS[word] or LANES[word], word)
    used[word] = true
  end
  for word in pairs(LANES) do assert(used[word], word .. " is used by no template") end
  for word in pairs(OPERATIONS) do assert(used[word], word .. " is used by no template") end
end)

-- -- Helpers --------------------------------------------------------------------------------------------------------

-- The usual helpers and the extras, in no order that matters.
local function helpers_of(set)
  local texts = { set.helpers }
  for _, text in pairs(set.extras) do texts[#texts + 1] = text end
  return table.concat(texts)
end

local function defined(set)
  local names = {}
  for name in helpers_of(set):gmatch("static inline [%w_ ]*[ %*]([%a_][%w_]*)%(") do
    assert(not names[name], name)
    names[name] = true
  end
  return names
end

-- Helpers only for vectors that can end in the middle of a row.
local PARTIAL = { vec_load_tail = true, vec_store_tail = true }

fact.holds("every table defines every helper the templates and its own spellings call", function()
  local called = {}
  for name in template_texts():gmatch("(vec_[%w_]+)%(") do called[name] = true end
  assert(called.vec_sum and called.vec_store_tail)
  each(function(set)
    local names = defined(set)
    for name in pairs(called) do assert(names[name] or set.width == 1 and PARTIAL[name], set.name .. " " .. name) end
    for _, format in pairs(set.spell) do
      for name in format:gmatch("(vec_[%w_]+)%(") do assert(names[name], set.name .. " " .. name) end
    end
  end)
end)

fact.holds("every helper is called by somebody", function()
  local texts = template_texts()
  each(function(set)
    local spelled = {}
    for _, format in pairs(set.spell) do spelled[#spelled + 1] = format end
    local text = texts .. table.concat(spelled, "\n")
    for name in pairs(defined(set)) do
      local _, count = helpers_of(set):gsub(name .. "%f[^%w_]", "")
      assert(count > 1 or text:find(name .. "(", 1, true), set.name .. " " .. name)
    end
  end)
end)

fact.holds("every set has the same extras, each a helper of that name", function()
  each(function(set)
    for name in pairs(isa.get("scalar").extras) do assert(set.extras[name], set.name .. "." .. name) end
    for name, text in pairs(set.extras) do
      assert(isa.get("scalar").extras[name], set.name .. "." .. name)
      fact.contains(text, " vec_" .. name .. "(")
    end
  end)
end)

fact.holds("helpers end their lines, hold no tabs and stay within the width of the code", function()
  each(function(set)
    local text = helpers_of(set)
    fact.equal(text:sub(-1), "\n")
    assert(not text:find("[\t\r]") and not text:find(" \n"), set.name)
    for line in text:gmatch("[^\n]+") do assert(#line <= 120, line) end
  end)
end)

-- -- The CPU --------------------------------------------------------------------------------------------------------

fact.holds("each feature a set needs is one the runtime can ask for", function()
  local header = assert(fs.read("runtime/include/genattn/cpu.h"))
  each(function(set)
    for _, feature in ipairs(set.cpu) do
      fact.contains(header, ('X(%s, "%s", '):format(feature, feature:lower()))
    end
  end)
end)

-- What compilers make code for without a flag.
local UNFLAGGED = { ASIMD = true }

fact.holds("each set asks the CPU for what its compiler flags allow", function()
  each(function(set)
    local asked = {}
    for _, feature in ipairs(set.cpu) do asked["-m" .. feature:lower()] = not UNFLAGGED[feature] or nil end
    for _, flag in ipairs(set.cflags) do
      assert(asked[flag], set.name .. " compiles with " .. flag .. " without asking for it")
      asked[flag] = nil
    end
    assert(next(asked) == nil, set.name)
  end)
end)

fact.finish()
