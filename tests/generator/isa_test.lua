-- isa_test.lua: the instruction sets are whole tables with one vocabulary, which is what the templates use.
local fact = dofile("tests/generator/fact.lua")
local fs = require "base.fs"
local isa = require "isa"

local FIELDS = { name = "string", arch = "string", width = "number", registers = "number",
  max_accumulators = "number", type = "string", headers = "table", cflags = "table", cpu = "table",
  fma_per_cycle = "number", loads_per_cycle = "number", fma_latency = "number",
  scale_shift = "number", spell = "table", helpers = "string", extras = "table", V = "table", ints = "string",
  products = "table", refinements = "table", needs = "function" }

-- What a set may have.
local OPTIONAL = { widens_for_fma = "boolean", lanes = "string", lowest_exponent = "number" }

-- What all sets say alike of sums over a row.
local LANES = { lanes_none = true, lanes_add = true, lanes_fmadd = true, lanes_sum = true }

-- Of each operation, how many operands it takes.
local OPERATIONS = { zero = 0, splat = 1, load = 1, store = 2, add = 2, sub = 2, mul = 2, max = 2, fmadd = 3,
  round = 1, above = 2, div = 2, fmsub = 3, sqrt = 1, int_zero = 0, int_splat = 1, int_load = 1, int_add = 2,
  int_sub = 2, int_mul = 2, int_max = 2, int_and = 2, int_or = 2, int_where_above = 3, shl = 2, shr = 2, shr_bits = 2,
  to_floats = 1, to_ints = 1, bits_of = 1, floats_of = 1, int_load_int8 = 1, int_load_uint8 = 1, int_load_uint16 = 1,
  int_store_int8 = 2, int_store_uint8 = 2, int_store_int16 = 2, int_store_uint16 = 2, int_largest = 1, int_sum = 1,
  load_f16 = 1, load_e5m3 = 1 }

-- Those that a set may spell besides, and those that are made of others unless it spells them.
local SOME = { evens_first = 1, shr_halves = 2, kept_apart = 1 }
local MADE = { load_int8 = 1, load_bf16 = 1, round_bf16 = 1, upper = 1, store_upper = 2, store_bf16 = 2, store_int8 = 2,
  store_uint8 = 2, store_int16 = 2, to_nearest = 1, fraction = 2, int_store_four_int8 = 5, int_store_four_uint8 = 5,
  int_store_four_int16 = 5 }

-- The formats of a product, with their operands.
local PRODUCT = { splat = 1, load = 1, dot = 3, load_int8 = 1, lessen = 1, to_ints = 2, fold = 1, store = 2,
  in_order = 2, start = 2, shorts = 3 }
local MATRIX = { size = 2, release = 0, fence = 0, zero = 1, load = 3, store = 3, dot = 3 }
local PAIRS = { rows = 2, low = 2, high = 2, dot = 3, exchange = 2 }
local PRODUCTS = { bytes = true, byte_matrices = true, grouped_matrices = true, signed_bytes = true,
  bytes_by_lane = true, bytes_in_16_bits = true, grouped_bytes = true, int16 = true,
  ints = true, bf16 = true }

local function each(f)
  for _, name in ipairs(isa.names()) do f(isa.get(name)) end
end

local function format_of(word)
  return type(word) == "table" and word[1] or word
end

local function template_texts()
  local texts = {}
  for _, folder in ipairs({ "templates/attention/", "templates/linear/", "templates/model/", "templates/schedule/",
    "templates/attention/modifiers/", "templates/ops/", "templates/table/" }) do
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
  for _, file in ipairs(assert(fs.list("generator/isa"))) do
    local name = file:match("^(.*)%.lua$")
    assert(not name or listed[name] or isa.base_of(name), file)
  end
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

local function has_operands(format, operands, where)
  local _, holes = format:gsub("%%s", "")
  assert(holes == operands, where)
end

fact.holds("every table spells the same operations, each with its operands", function()
  each(function(set)
    for operation, operands in pairs(OPERATIONS) do
      local word = set.spell[operation] or error(set.name .. " does not spell " .. operation)
      has_operands(format_of(word), operands, set.name .. "." .. operation)
    end
    for operation in pairs(set.spell) do
      assert(OPERATIONS[operation] or SOME[operation] or MADE[operation], set.name .. "." .. operation)
    end
    for operation, operands in pairs(MADE) do
      has_operands(format_of(set.spell[operation] or ("%s"):rep(operands)), operands, set.name .. "." .. operation)
    end
    for operation, operands in pairs(SOME) do
      has_operands(format_of(set.spell[operation] or ("%s"):rep(operands)), operands, set.name .. "." .. operation)
    end
  end)
end)

-- Calls f with each set, those that refine it, and itself.
local function each_refined(f)
  each(function(set)
    f(set)
    for _, more in ipairs(set.refinements) do f(more) end
  end)
end

fact.holds("every product is a table of what the contract lists, each word with its operands", function()
  each_refined(function(set)
    for name in pairs(PRODUCTS) do
      for field, value in pairs(set.products[name] or {}) do
        local where = ("%s.%s.%s"):format(set.name, name, field)
        local more = name == "bytes_by_lane" and field == "dot" and 1 or 0 -- a lane
        if PRODUCT[field] then has_operands(value, PRODUCT[field] + more, where) end
        fact.equal(type(value), PRODUCT[field] and "string" or ({ unit = "number", type = "string", helpers = "string",
          cflags = "table", cpu = "table", prefers = "table", upper_first = "boolean", less = "number",
          unsigned = "table", pairs = "table", matrix = "table", with = "table", halves = "table" })[field] or where)
      end
      local matrix = set.products[name] and set.products[name].matrix
      for word, operands in pairs(matrix and MATRIX or {}) do has_operands(matrix[word], operands, word) end
      local words = set.products[name] and set.products[name].pairs
      for word in pairs(words or {}) do assert(PAIRS[word], word) end
      for word, operands in pairs(words and PAIRS or {}) do has_operands(words[word] or "", operands, word) end
    end
    for name in pairs(set.refines and set.refines.products or set.products) do assert(PRODUCTS[name], name) end
  end)
end)

fact.holds("a file that refines a set has a name that begins with the set's, and products of its own", function()
  each(function(set)
    for _, more in ipairs(set.refinements) do
      fact.equal(more.name:sub(1, #set.name), set.name)
      fact.equal(isa.base_of(more.name), set.name)
      fact.equal(more.V, set.V)
      assert(next(more.refines.products), more.name)
    end
  end)
  fact.equal(isa.base_of("avx2"), nil)
end)

fact.holds("what words and products need is one list, without what stands in it already", function()
  local avx2 = isa.get("avx2")
  local needs = avx2.needs({ "load_f16", "load_e5m3", "store_bf16", "add" }, { { cpu = { "F16C" }, helpers = "text" } })
  fact.lists_equal(needs.cpu, { "F16C" })
  fact.lists_equal(needs.cflags, { "-mf16c" })
  fact.equal(#needs.helpers, 3) -- vec_round_bf16, vec_store_uint16, text
  fact.contains(needs.helpers[1], "vec_round_bf16(__m256 v)")
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

-- Everything that writes expressions of words.
local function users_texts()
  local texts = { template_texts() }
  for _, folder in ipairs({ "generator/formats/", "generator/formats/vocabulary/", "generator/isa/vocabulary/" }) do
    for _, file in ipairs(assert(fs.list(folder))) do
      texts[#texts + 1] = file:find("%.lua$") and assert(fs.read(folder .. file)) or nil
    end
  end
  return table.concat(texts, "\n")
end

fact.holds("templates use only words of the vocabulary, and somebody uses all of them", function()
  local used, texts = {}, users_texts()
  for word in template_texts():gmatch("V%.([%a_]+)%(") do
    assert(OPERATIONS[word] or LANES[word] or MADE[word], word)
    used[word] = true
  end
  for word in pairs(LANES) do assert(used[word], word .. " is used by no template") end
  for _, words in ipairs({ OPERATIONS, SOME, MADE }) do
    for word in pairs(words) do
      assert(texts:find("V." .. word, 1, true) or texts:find('"' .. word .. '"', 1, true) or
        texts:find('"int_store_" .. element', 1, true) and word:find("^int_store_"), word .. " is used by nobody")
    end
  end
end)

-- -- Helpers --------------------------------------------------------------------------------------------------------

-- The usual helpers and the extras, in no order that matters.
local function helpers_of(set)
  local texts = { set.helpers }
  for _, text in pairs(set.extras) do texts[#texts + 1] = text end
  return table.concat(texts)
end

local function defined_in(text)
  local names = {}
  for name in text:gmatch("static inline [%w_ ]*[ %*]([%a_][%w_]*)%(") do
    assert(not names[name], name)
    names[name] = true
  end
  return names
end

local function defined(set)
  return defined_in(helpers_of(set))
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
    for _, word in pairs(set.spell) do
      local own = names
      if type(word) == "table" then own = defined_in(word.helpers or "") end
      for name in format_of(word):gmatch("(vec_[%w_]+)%(") do
        assert(own[name] or names[name], set.name .. " " .. name)
      end
    end
  end)
end)

fact.holds("every helper is called by somebody", function()
  local texts = template_texts()
  each(function(set)
    local spelled = {}
    for _, word in pairs(set.spell) do spelled[#spelled + 1] = format_of(word) end
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
