-- vocabulary/multiplied.lua: what templates may say of rows times packed weights, by format; what that needs of an
-- instruction set. Never says which product: the plan gives each its format.
local formats = require "formats"
local kept = require "formats.vocabulary.kept"
local words = require "formats.vocabulary.words"

local multiplied = {}

local ALIGNMENT = 4 -- of depths, which are padded to whole ones: the most elements that any lane takes

-- The first of its ways that an instruction set has, and the set's product; nil where it needs none.
local function way_of(name, set)
  for _, way in ipairs(formats.get(name).product.ways or {}) do
    local product = set.products[way.product or ""]
    if product or not way.product then return way, product end
  end
end

-- The sets for which a model of these arithmetics, and of weights of a dtype (nil: without groups), has a variant, of
-- one instruction set: those that refine a product that one of them takes, best first, then itself.
function multiplied.variants(names, set, weights_dtype)
  local list = {}
  for _, more in ipairs(set.refinements or {}) do
    local is_other = weights_dtype ~= nil and kept.groups_differ(formats.of_weights(weights_dtype).name, more, set)
    for _, name in ipairs(names) do
      local _, product = way_of(name, more)
      is_other = is_other or product ~= nil and product ~= select(2, way_of(name, set))
    end
    list[#list + 1] = is_other and more or nil
  end
  list[#list + 1] = set
  return list
end

-- The same of a spec's arithmetics and weights.
function multiplied.variants_of(spec, set)
  return multiplied.variants(spec.arithmetics, set, spec.weights_dtype)
end

-- Whether vectors are multiplied by another product on a set than on one that it refines. A product that only adds
-- matrix registers to another has that one's words for vectors.
function multiplied.is_other(name, set, base)
  local _, product = way_of(name, set)
  local _, of_base = way_of(name, base)
  local adds_matrices = of_base and product and product.with == of_base
  return product ~= of_base and not adds_matrices
end

-- Words that templates have for rows of integers besides.
local WORDS_OF_INTEGERS = { "bits_of", "int_max", "int_largest" }

-- The word for four vectors of integers of one that stores a vector of floats.
local function four(store)
  return (store:gsub("^store_", "int_store_four_"))
end

-- Whether it multiplies integers with a scale for each running sum.
local function is_of_integers(name)
  local A = formats.get(name).product
  return A.ways ~= nil and A.vocabulary == nil
end

-- A product after those whose helpers it calls, or nothing.
local function and_called(product)
  local list = { product }
  while list[1] and list[1].with do table.insert(list, 1, list[1].with) end
  return list
end

-- What it calls and needs of an instruction set: helpers, C texts; arrays cflags, cpu.
function multiplied.needs(name, set)
  local way, product = way_of(name, set)
  if not way then return { helpers = {}, cflags = {}, cpu = {} } end
  local called = { way.store, way.in_order }
  if is_of_integers(name) then
    for i = 1, #called do called[#called + 1] = four(called[i]) end
    for _, word in ipairs(WORDS_OF_INTEGERS) do called[#called + 1] = word end
  end
  for _, word in ipairs(way.words or {}) do called[#called + 1] = word end
  local needs, A = set.needs(called, and_called(product)), formats.get(name).product
  needs.helpers[#needs.helpers + 1] = A.functions and A.functions(set)
  return needs
end

-- What the compiler ("cflags") or the CPU ("cpu") must have for a spec's arithmetics and weights, each once.
function multiplied.all_need(spec, set, what)
  local list, seen = {}, {}
  local function add(needs)
    for _, need in ipairs(needs[what]) do
      list[#list + 1] = not seen[need] and need or nil
      seen[need] = true
    end
  end
  add(kept.needs(formats.of_weights(spec.weights_dtype).name, set))
  for _, name in ipairs(spec.arithmetics) do add(multiplied.needs(name, set)) end
  return list
end

-- CPU features without which another variant of these arithmetics is faster, or nil.
function multiplied.prefers(names, set)
  for _, name in ipairs(names) do
    local _, product = way_of(name, set)
    if product and product.prefers then return product.prefers end
  end
end

-- Whether instructions for other numbers multiply one of these arithmetics.
function multiplied.emulates(names, set)
  for _, name in ipairs(names) do
    local way = way_of(name, set)
    if way and way.emulates then return true end
  end
  return false
end

-- A depth of rows and panels with its padding.
function multiplied.padded(name, depth)
  local A = formats.get(name).product
  local step = A.alignment or ALIGNMENT
  return A.ways and math.ceil(depth / step) * step or depth
end

-- Lengths of running sums are whole ones of it, but for the last.
function multiplied.step(name, weights_dtype)
  local A = formats.get(name).product
  return A.ways and (A.alignment or ALIGNMENT) or weights_dtype and formats.get(weights_dtype).group or 1
end

-- Whether weights are packed without the zeros that fill vectors between heads: steps and groups go on over heads.
function multiplied.joins_heads(name, weights_dtype)
  return formats.get(name).product.ways ~= nil or formats.get(weights_dtype).group ~= nil
end

-- A table with the words that store vectors of floats and of integers by one of them.
local function stores(V, of, store)
  of.store, of.store_ints, of.store_four_ints = V[store], V["int_" .. store], V[four(store)]
  return of
end

-- What templates may say of products of integers. They name scale<m> and offset<m> of row m, and `header`, what stands
-- in a panel before a running sum.
local function of_integers(name, set)
  local V, A, way, product = set.V, formats.get(name).product, way_of(name, set)
  local X = setmetatable({ name = name, is_narrow = true, is_integer = true, is_offset = A.is_offset or false,
    is_symmetric = not A.is_offset,
    largest_row = A.largest_row, largest_weight = A.largest_weight,
    total_weight = A.total_weight, unit = product.unit, vector = product.type or V.ints, sum = V.ints,
    splat = words.spelled(product.splat), load = words.spelled(product[way.load or "load"] or product.load),
    to_floats = V.to_floats, in_order = V[way.in_order or way.store] }, { __index = way })
  stores(V, X, way.store)
  -- Keys and values are made as rows are, or where those have an offset, as rows of elements of panels.
  local own = stores(V, { name = name .. "_key", largest_row = A.largest_key, row = way.panel },
    way.in_order or way.store)
  X.keys = A.largest_key and own or X
  -- Softmax weights have no sign, and no offset either.
  local unsigned = product.unsigned or product
  X.weights = setmetatable({ splat = words.spelled(unsigned.splat),
    dot = function(a, b, sum) return unsigned.dot:format(sum, a, b) end }, { __index = X })
  X.pairs = words.of(product.pairs)
  X.matrix = words.of(product.matrix)
  function X.dot(a, b, sum) return product.dot:format(sum, a, b) end
  function X.column_bytes(length) return (length + way.header) * way.panel.bytes end
  function X.start(m, sums)
    if not (way.has_offset and sums) then return V.int_zero() end
    if product.start then return product.start:format(V.int_splat("(uint16_t)offset" .. m), V.int_load(sums)) end
    return V.int_mul(V.int_splat("offset" .. m), V.int_load(sums))
  end
  function X.started(m, sums, sum) return V.int_add(X.start(m, sums), sum) end
  function X.total(sum, m, scales, before)
    return V.add(V.mul(X.to_floats(sum), V.mul("scale" .. m, V.load(scales))), before)
  end
  return X
end

-- What templates may say of it for an instruction set, and the dtype of weights where these are floats to it: row,
-- panel, unit, one_by_one, header, vector, sum, splat and dot as above, and
--   load(pointer, place)           a vector; of what sums take one by one, the elements at that place of their lanes
--   column_bytes(length)           of a panel's column in a running sum of that length
--   place(i)                       of bf16: where in its lane that of depth i lies in a panel
--   groups                         the dtype of weights, where it keeps numbers in groups: then there is no load
--   steps                          the dtype of steps, where rows are kept as numbers of steps: those of keys stand in
--                                  the header
--   pairs, matrix                  of integers: the words of a product of pairs of rows, and of matrices
--                                  (isa/init.lua), or nil
--   start(m, sums)                 a running sum of row m before its first product; sums: nil where zero is zero
--   started(m, sums, sum)          the same, of rows that have an offset, and `sum` more
--   keys                           of integers: what templates may say of how keys and values become elements of panels
--   weights                        of integers: the same as of all rows, of softmax weights
--   total(sum, m, scales, before)  the floats of a running sum of row m, joined to those before
--   store(pointer, vector)         of narrow ones; in_order: elements of a panel one after the other
--   store_ints(pointer, ints)      of integers; store_four_ints(pointer, ints, ints, ints, ints): four vectors
-- sums, scales: pointers to what the header has of the sum's columns. is_narrow, is_integer: what it is.
function multiplied.vocabulary(name, set, weights_dtype)
  local A = formats.get(name).product
  if A.vocabulary then return A.vocabulary(set, kept.vocabulary(weights_dtype, set)) end
  return of_integers(name, set)
end

return multiplied
