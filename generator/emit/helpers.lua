-- emit/helpers.lua: the C functions that kernels and stages of plans on one instruction set call: those of the set, of
-- formats, of narrow products, of features. Decides nothing.
local formats = require "formats"
local kept = require "formats.vocabulary.kept"
local multiply = require "formats.vocabulary.multiplied"
local spec_api = require "spec"

local helpers = {}

-- The names of the narrow arithmetics that the linears of plans have, and with attention's those of all products, in
-- order.
function helpers.narrow(plans, with_attention)
  local has, list = {}, {}
  for _, p in ipairs(plans) do
    for _, f in ipairs(p.products) do has[f.X.name] = f.X.is_narrow end
    if with_attention and p.attended then has[p.attended.X.name] = p.attended.is_narrow end
  end
  for _, name in ipairs(formats.products(true)) do list[#list + 1] = has[name] and name or nil end
  return list
end

-- Calls add with lists of C texts: the functions of the formats of weights, of cached rows and of products.
local function each(plans, add)
  local set = plans[1].isa
  local function add_kept(name, stores)
    if not name then return end
    add({ kept.helpers(name) })
    add(kept.needs(name, set, stores).helpers)
  end
  for _, p in ipairs(plans) do
    add_kept(p.weights_dtype)
    add_kept(p.cache_dtype, true)
    add_kept(p.cache_dtype and formats.get(p.cache_dtype).scales)
    add_kept(p.table_dtype)
    add_kept(formats.get(p.table_dtype).scales)
  end
  for _, name in ipairs(helpers.narrow(plans, true)) do
    add({ formats.get(name).product.elements and kept.helpers(name) })
    add(multiply.needs(name, set).helpers)
  end
  for _, p in ipairs(plans) do
    for _, name in ipairs(spec_api.helpers(p.spec)) do add({ set.extras[name] }) end
  end
end

-- An instruction set's functions, those that its words for narrow numbers call, and those of its extras that the
-- features in use ask for, each once.
function helpers.text(plans)
  local texts, seen = { plans[1].isa.helpers }, {}
  each(plans, function(list)
    for _, text in ipairs(list) do
      texts[#texts + 1] = not seen[text] and text or nil
      seen[text] = true
    end
  end)
  return table.concat(texts)
end

return helpers
