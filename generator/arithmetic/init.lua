-- arithmetic/init.lua: how rows are multiplied by packed weights, as tables of data: element types of both, how many
-- elements of depth one lane takes, and the instructions. Never says which product: the plan gives each its arithmetic.
--
-- Adding one is adding one file of its name, and the name to NAMES. f32 makes its words of those of vectors and of a
-- weights dtype. Another one is narrow: rows and weights are rounded to fewer bits before. Its file has
--   sum                        products that one running sum takes at most
--   elements                   the type of generator/dtype whose functions it calls; nil: none
--   attends                    whether attention may multiply so
--   cached                     where it attends: the rows of a cache whose numbers and steps it multiplies as they are
--   step                       what depths and running sums are whole ones of; nil: of four
--   word                       the name that specs and C have for it; nil: its own
--   ways                       how instruction sets may multiply it, the best first; a set takes the first one whose
--                              product it has, and others do not run it. Each has
--     product                  the product (isa/init.lua); nil: multiply-adds of floats, which every set has
--     words                    words that `functions` and `vocabulary` use besides
--     emulates                 whether instructions for other numbers do it
--                              and of integers
--     row, panel               element types of both: name, type (C), bytes
--     load                     the product's word that loads elements of panels; nil: load
--     store                    the word that stores a vector of floats, rounded to the nearest, as elements of a row
--     in_order                 the same as elements of a panel, where it attends; nil: as store
--     header                   elements of a panel's column that stand before those of each running sum: its scale, and
--                              with has_offset the sum of its weights
--     has_offset               whether rows hold their distance from their least number, which is what zero is then
--   functions(set)             C functions that the expressions call, of these words; nil: none
--   vocabulary(isa)            where it does not multiply integers: what templates may say of it (below)
-- One of integers, whose sums are so short that they cannot leave 32 bits, has besides
--   largest_row, is_offset     steps from zero to a row's largest magnitude; or with is_offset those from its least to
--                              its greatest number, zero included
--   largest_weight, total_weight   where it attends, of those of one running sum: most of one, and of all magnitudes;
--                              without total_weight of softmax weights alone, which have no sign
--   largest_key                where it attends and is_offset: steps of keys and values from zero to their largest
--   weight_scale               C: what one step of a column's weights is worth, of `largest` and `total`, the greatest
--                              magnitude of those of one running sum and the sum of all
local dtype = require "dtype"

local arithmetic = {}

local NAMES = { "f32", "bf16", "i16", "int8" }
local IN_GROUPS = { int8 = "int8_groups" } -- by name, with weights in groups
local DEPTH_STEP = 4 -- depths are padded to whole ones: the most elements that any lane takes

function arithmetic.names()
  return NAMES
end

-- The same, and after them those that specs call by another one's name.
function arithmetic.all()
  local list = {}
  for _, name in ipairs(NAMES) do list[#list + 1] = name end
  for _, name in ipairs(NAMES) do list[#list + 1] = IN_GROUPS[name] end
  return list
end

-- What a spec's word means with weights of a dtype; nil where these are none that it multiplies.
function arithmetic.beside(word, weights_dtype)
  if weights_dtype == "f32" or word == "f32" then return word end
  return dtype.get(weights_dtype).group and IN_GROUPS[word] or nil
end

-- The word that specs and C have for it.
function arithmetic.word(name)
  return arithmetic.get(name).word or name
end

-- The table of that name; one that is not known is a bug of the caller.
function arithmetic.get(name)
  for _, known in ipairs(NAMES) do
    if known == name or IN_GROUPS[known] == name then return require("arithmetic." .. name) end
  end
  error(("no arithmetic is called '%s'"):format(tostring(name)), 2)
end

-- The names of those by which attention may multiply.
function arithmetic.attending()
  local list = {}
  for _, name in ipairs(NAMES) do list[#list + 1] = arithmetic.get(name).attends and name or nil end
  return list
end

-- The first of its ways that an instruction set has, and the set's product; nil where there is none.
local function way_of(name, set)
  for _, way in ipairs(arithmetic.get(name).ways or {}) do
    local product = set.products[way.product or ""]
    if product or not way.product then return way, product end
  end
end

-- Whether it runs on an instruction set.
function arithmetic.runs_on(name, set)
  return not arithmetic.get(name).ways or way_of(name, set) ~= nil
end

-- The sets for which a model of these arithmetics has a variant, of one instruction set that runs them: those that
-- refine a product that one of them takes, best first, then itself.
function arithmetic.variants(names, set)
  local list = {}
  for _, more in ipairs(set.refinements or {}) do
    local is_other = false
    for _, name in ipairs(names) do
      local _, product = way_of(name, more)
      is_other = is_other or product ~= nil and product ~= select(2, way_of(name, set))
    end
    list[#list + 1] = is_other and more or nil
  end
  list[#list + 1] = set
  return list
end

-- What it calls and needs of an instruction set: helpers, C texts; arrays cflags, cpu.
function arithmetic.needs(name, set)
  local way, product = way_of(name, set)
  if not way then return { helpers = {}, cflags = {}, cpu = {} } end
  local words = { way.store, way.in_order }
  for _, word in ipairs(way.words or {}) do words[#words + 1] = word end
  local needs, A = set.needs(words, { product }), arithmetic.get(name)
  needs.helpers[#needs.helpers + 1] = A.functions and A.functions(set)
  return needs
end

-- What the compiler ("cflags") or the CPU ("cpu") must have for a spec's arithmetics and weights, each once.
function arithmetic.all_need(spec, set, what)
  local list, seen = {}, {}
  local function add(needs)
    for _, need in ipairs(needs[what]) do
      list[#list + 1] = not seen[need] and need or nil
      seen[need] = true
    end
  end
  add(dtype.needs(spec.weights_dtype, set))
  for _, name in ipairs(spec.arithmetics) do add(arithmetic.needs(name, set)) end
  return list
end

-- CPU features without which another variant of these arithmetics is faster, or nil.
function arithmetic.prefers(names, set)
  for _, name in ipairs(names) do
    local _, product = way_of(name, set)
    if product and product.prefers then return product.prefers end
  end
end

-- Whether instructions for other numbers multiply one of these arithmetics.
function arithmetic.emulates(names, set)
  for _, name in ipairs(names) do
    local way = way_of(name, set)
    if way and way.emulates then return true end
  end
  return false
end

-- A depth of rows and panels with its padding.
function arithmetic.padded(name, depth)
  local A = arithmetic.get(name)
  local step = A.step or DEPTH_STEP
  return A.ways and math.ceil(depth / step) * step or depth
end

-- Lengths of running sums are whole ones of it, but for the last.
function arithmetic.step(name, weights_dtype)
  local A = arithmetic.get(name)
  return A.ways and (A.step or DEPTH_STEP) or weights_dtype and dtype.get(weights_dtype).group or 1
end

-- Whether weights are packed without the zeros that fill vectors between heads: steps and groups go on over heads.
function arithmetic.joins_heads(name, weights_dtype)
  return arithmetic.get(name).ways ~= nil or dtype.get(weights_dtype).group ~= nil
end

-- What templates may say of products of integers. They name scale<m> and offset<m> of row m, and `header`, what stands
-- in a panel before a running sum.
local function of_integers(A, set)
  local V, way, product = set.V, way_of(A.name, set)
  local function spelled(format) return function(...) return format:format(...) end end
  local X = setmetatable({ name = A.name, is_narrow = true, is_integer = true, is_offset = A.is_offset,
    largest_row = A.largest_row, weight_scale = A.weight_scale, largest_weight = A.largest_weight,
    total_weight = A.total_weight, unit = product.unit, vector = product.type or V.ints, sum = V.ints,
    splat = spelled(product.splat), load = spelled(product[way.load or "load"] or product.load),
    to_floats = V.to_floats, store = V[way.store], in_order = V[way.in_order or way.store] }, { __index = way })
  -- Keys and values are made as rows are, or where those have an offset, as rows of elements of panels.
  local own = { name = A.name .. "_key", largest_row = A.largest_key, row = way.panel, store = X.in_order }
  X.keys = A.largest_key and own or X
  function X.dot(a, b, sum) return product.dot:format(sum, a, b) end
  function X.column_bytes(length) return (length + way.header) * way.panel.bytes end
  function X.start(m, sums)
    return way.has_offset and sums and V.int_mul(V.int_splat("offset" .. m), V.int_load(sums)) or V.int_zero()
  end
  function X.total(sum, m, scales, before)
    return V.add(V.mul(X.to_floats(sum), V.mul("scale" .. m, V.load(scales))), before)
  end
  return X
end

-- What templates may say of it for an instruction set, and the dtype of weights where these are floats to it: row,
-- panel, unit, one_by_one, header, vector, sum, splat and dot as above, and
--   load(pointer, place)           a vector; of what sums take one by one, the elements at that place of their lanes
--   column_bytes(length)           of a panel's column in a running sum of that length
--   groups                         the dtype of weights, where it keeps numbers in groups: then there is no load
--   steps                          the dtype of steps, where rows are kept as numbers of steps: those of keys stand in
--                                  the header
--   start(m, sums)                 a running sum of row m before its first product; sums: nil where zero is zero
--   keys                           of integers: what templates may say of how keys and values become elements of panels
--   total(sum, m, scales, before)  the floats of a running sum of row m, joined to those before
--   store(pointer, vector)         of narrow ones; in_order: elements of a panel one after the other
--   from_float(value), place(i)    of narrow ones but integers: an element of a panel, and where in a lane that of
--                                  depth i lies
-- sums, scales: pointers to what the header has of the sum's columns. is_narrow, is_integer: what it is.
function arithmetic.vocabulary(name, set, weights_dtype)
  local A = arithmetic.get(name)
  if A.vocabulary then return A.vocabulary(set, dtype.vocabulary(weights_dtype, set)) end
  return of_integers(A, set)
end

return arithmetic
