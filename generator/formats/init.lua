-- formats/init.lua: number formats as tables of data: what one element is, what shares a scale, and how rows are
-- multiplied by weights in it. Spells nothing: words are those of instruction sets (isa/vocabulary).
--
-- Adding one is adding a file of its name; the folder is the list. Its fields:
--   name, bits                 bits of a number
--   word                       what specs and C call it; nil: its name
--   weights, rows              whether packed weights may be kept in it (weights_dtype), and single rows (cache_dtype)
-- of one that numbers are kept in
--   type, bytes                C type of an element, and its bytes
--   from_float (of rows), to_float   formats of C expressions: an element from a float, and a float from an element
--   load, store                words: a vector of floats from elements at a pointer, and to them; nil: no conversion
--   helpers                    C functions that from_float and to_float call; nil: none
--   enum                       its name in enum ga_dtype; nil: that of its word
-- of one with a scale for each row also
--   scales, largest            the name of the format in which scales are kept; the greatest magnitude of a number
-- of one with a scale for each group, in the place of those from from_float on, what vocabulary/groups.lua gives
-- and where linears may multiply by it
--   product                    a table:
--     sentence                 what a spec's summary says that linears multiply; nil: floats
--     sum                      products that one running sum takes at most
--     group                    the size of a group, of rows and of weights; nil: weights have no groups
--     any_weights              whether it reads weights of every format as floats
--     attends                  where products of scores and values may be in it too: what a spec's summary says of
--                              that, "" nothing
--     cached                   where it attends: the format of rows of a cache that it multiplies as they are
--     alignment                what depths and running sums are multiples of; nil: of four
--     elements                 whether `helpers` are called
--     ways                     how instruction sets may multiply, the best first; a set takes the first one whose
--                              product it has, and others do not run it; nil: every set does. Each has
--       product                the set's product (isa/init.lua); nil: multiply-adds of floats, which every set has
--       words                  words that `functions` and `vocabulary` use besides
--       emulates               whether instructions for other numbers do it
--                              and of integers
--       row, panel             element types of both: name, type (C), bytes
--       load                   the product's word that loads elements of panels; nil: load
--       store                  the word that stores a vector of floats, rounded to the nearest, as elements of a row
--       in_order               the same as elements of a panel, where it attends; nil: as store
--       header                 elements of a panel's column before those of each running sum: its scale, and with
--                              has_offset the sum of its weights
--       has_offset             whether rows hold their distance from their least number, which is what zero is then;
--                              middle: less this, nil for 0
--     functions(set)           C functions that the expressions call, of these words; nil: none
--     vocabulary(set, W)       where it does not multiply integers with a scale for each running sum: what templates
--                              may say of it (vocabulary/multiplied.lua); W: of the weights' format
--                              and of integers, whose sums are so short that they cannot leave 32 bits
--     largest_row, is_offset   the largest magnitude of a row; or with is_offset (asymmetric) from its least to its
--                              greatest number, zero included
--     largest_weight, total_weight   where it attends, of those of one running sum: most of one, and of all magnitudes;
--                              without total_weight of softmax weights alone, which have no sign
--     largest_key              where it attends and is_offset: the largest magnitude of keys and values
local compat = require "base.compat"
local fs = require "base.fs"

local formats = {}

local list, tables -- in order, and by name; nil until somebody asks

-- Reads every table of the folder that this file lies in: most bits first, then by name.
local function load_all()
  list, tables = {}, {}
  for _, file in ipairs(assert(fs.list(compat.module_file("formats"):match("^(.*)/")))) do
    local name = file:match("^(.*)%.lua$")
    if name and name ~= "init" then
      tables[name] = require("formats." .. name)
      list[#list + 1] = tables[name]
    end
  end
  table.sort(list, function(a, b)
    if a.bits ~= b.bits then return a.bits > b.bits end
    return a.name < b.name
  end)
end

-- Of all formats for which is(table), of(table), in order.
local function each(of, is)
  if not list then load_all() end
  local found = {}
  for _, F in ipairs(list) do found[#found + 1] = is(F) and of(F) or nil end
  return found
end

local function name_of(F) return F.name end
local function word_of(F) return F.word or F.name end

-- The table of that name; one that is not known is a bug of the caller.
function formats.get(name)
  if not list then load_all() end
  return tables[name] or error(("no number format is called '%s'"):format(tostring(name)), 2)
end

-- The word that specs and C have for it.
function formats.word(name)
  return word_of(formats.get(name))
end

-- Words of those that weights may be kept in, and of those of rows.
function formats.weights()
  return each(word_of, function(F) return F.weights end)
end

function formats.rows()
  return each(word_of, function(F) return F.rows end)
end

-- The table that a word means, of weights or of rows; nil for nil.
function formats.of_weights(word)
  return each(function(F) return F end, function(F) return F.weights and word_of(F) == word end)[1]
end

function formats.of_rows(word)
  return each(function(F) return F end, function(F) return F.rows and word_of(F) == word end)[1]
end

-- Whether attention in that format multiplies rows as a cache of that word keeps them.
function formats.reads_cached(name, word)
  return formats.get(name).product.cached == formats.of_rows(word).name
end

-- What enum ga_dtype calls elements of rows that a word means.
function formats.enum_of_rows(word)
  return formats.of_rows(word).enum or word:upper()
end

-- Hands add the parts of packed weights (ops/init.lua) that a role takes whose rows a word says how to keep: its
-- elements, and the scales of all rows where it has them.
function formats.add_rows(add, role, rows, columns, word)
  local F = formats.of_rows(word)
  local scales = F.scales and role .. "_scales" or nil
  local kind = F.load and "rows" or "copy" -- nothing is converted to floats
  add(role, rows * columns, { { kind = kind, role = role, rows = rows, columns = columns, scales_part = scales,
    dtype = formats.enum_of_rows(word) } }, F.name)
  if scales then add(scales, rows, nil, F.scales) end
end

-- The names of those that linears may multiply by; with `in_groups` also those whose weights are in groups.
function formats.products(in_groups)
  return each(name_of, function(F) return F.product and (in_groups or not F.product.group) end)
end

-- The words of those by which attention may multiply.
function formats.attending()
  return each(word_of, function(F) return F.product and F.product.attends end)
end

-- The name of the format that a word means for products with weights of a format, by its word; nil where these are none
-- that it multiplies.
function formats.product_with(word, weights)
  local W = formats.of_weights(weights)
  local has_own = not W.group and W.load ~= nil -- read as floats alone
  return each(name_of, function(F)
    local P = F.product
    return P and word_of(F) == word and (P.any_weights or P.group == W.group and not has_own)
  end)[1]
end

return formats
