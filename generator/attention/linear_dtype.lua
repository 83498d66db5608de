-- linear_dtype.lua: what a dtype goes with: it is the arithmetic of the linears, of all or of each. What goes in and
-- comes out, sums, norms and residuals stay f32. Attention has a file of its own.
local dtypes = require "schema.dtypes"
local formats = require "formats"
local text = require "base.text"

local ANY = "%s multiply what a call chooses for each: %s; f32 where it chooses none"

-- The linears of a spec's layers, in order.
local function linears_of(spec)
  local is_there = { up = spec.stack and spec.n_layers ~= 0 }
  is_there.down = is_there.up
  for _, name in ipairs({ "q", "k", "v", "o" }) do
    is_there[name] = spec.attends and (spec.stack or spec.projects[name])
  end
  local list = {}
  for _, name in ipairs(dtypes.LINEARS) do list[#list + 1] = is_there[name] and name or nil end
  return list
end

-- Those after the last layer.
local function last_linears_of(spec)
  local list = {}
  for _, name in ipairs(dtypes.LAST) do list[#list + 1] = spec.stack and spec[name] and name or nil end
  return list
end

local function joined(a, b)
  local list = {}
  for _, names in ipairs({ a, b }) do
    for _, name in ipairs(names) do list[#list + 1] = name end
  end
  return list
end

-- All that a table may name.
local NAMES = joined(dtypes.LINEARS, dtypes.LAST)

-- The dtype of each linear, as the field says it for weights of a dtype of their own.
local function each(dtype, weights_dtype)
  local given, of = dtypes.chooses(dtype) and {} or type(dtype) == "table" and dtype or { default = dtype }, {}
  for _, name in ipairs(NAMES) do
    local word = given[name] or given.default or "f32"
    of[name] = formats.product_with(word, weights_dtype) or word
  end
  return of
end

-- The field where it asks for anything but floats, in words of a spec; nil where it does not.
local function narrow(dtype)
  if type(dtype) == "string" then return dtype ~= "f32" and ('dtype = "%s"'):format(dtype) or nil end
  for _, name in ipairs(joined({ "default" }, NAMES)) do
    if dtype[name] and dtype[name] ~= "f32" then return ('dtype.%s = "%s"'):format(name, dtype[name]) end
  end
end

local function check_narrow(spec, given, fail)
  given = given .. " is given, but "
  if spec.kind == "sdpa" then
    fail(given .. 'kind = "sdpa" has no linears')
  elseif spec.n_layers == 0 and #spec.last_linears == 0 then
    fail(given .. "n_layers = 0 leaves no linears")
  elseif spec.shared_heads then
    fail(given .. "linears whose weights all heads share multiply floats alone")
  end
end

-- A dtype that does not multiply weights as they are kept.
local function check_beside(spec, fail)
  local is_table = type(spec.dtype) == "table"
  local given, beside = is_table and spec.dtype or { default = spec.dtype }, spec.weights_dtype
  for _, name in ipairs(beside ~= "f32" and joined({ "default" }, NAMES) or {}) do
    if given[name] and not formats.product_with(given[name], beside) then
      return fail(('dtype%s = "%s" is given, but weights_dtype = "%s" is of linears that multiply floats%s'):format(
        is_table and "." .. name or "", given[name], beside, formats.product_with("int8", beside) and " or int8" or ""))
    end
  end
end

-- A linear that is named and not there.
local function check_named(spec, linears, fail)
  local is_there = {}
  for _, name in ipairs(linears) do is_there[name] = true end
  for _, name in ipairs(type(spec.dtype) == "table" and NAMES or {}) do
    if spec.dtype[name] and not is_there[name] then
      fail(("dtype.%s is given, but the model has no such linear; it has %s"):format(name,
        table.concat(linears, ", ")))
    end
  end
end

local function is_among(list, name)
  for _, other in ipairs(list) do
    if other == name then return true end
  end
  return false
end

-- Which linears of a spec have each dtype, in order: { dtype, names }.
local function by_dtype(spec)
  local list = {}
  for _, dtype in ipairs(formats.products(true)) do
    local names = {}
    for _, name in ipairs(spec.narrow and joined(spec.linears, spec.last_linears) or {}) do
      names[#names + 1] = is_among(spec.choices_of[name], dtype) and name or nil
    end
    if #names > 0 then list[#list + 1] = { dtype = dtype, names = names } end
  end
  return list
end

-- What a dtype of all linears is said of.
local function all_of(spec)
  local layers = #spec.linears > 0 and { "linears of layers" } or {}
  return text.join(joined(layers, spec.last_linears))
end

local function multiplies(names)
  return (#names > 1 or names[1] == "logits") and "multiply" or "multiplies"
end

return {
  name = "linear_dtype",
  of_rows = true,
  -- spec.linears, spec.last_linears: those of layers and those after them; spec.arithmetic_of: what each linear
  -- multiplies; spec.chooses: whether a call may choose another, and spec.choices_of: those of each;
  -- spec.arithmetics: those of all, each once.
  resolve = function(spec, fail)
    spec.linears, spec.last_linears, spec.narrow = linears_of(spec), last_linears_of(spec), narrow(spec.dtype)
    spec.chooses = dtypes.chooses(spec.dtype)
    local linears = joined(spec.linears, spec.last_linears)
    if #linears > 0 then check_named(spec, linears, fail) end
    if spec.narrow then check_narrow(spec, spec.narrow, fail) end
    if spec.narrow then check_beside(spec, fail) end
    spec.arithmetic_of, spec.arithmetics, spec.choices_of = each(spec.dtype, spec.weights_dtype), {}, {}
    for _, name in ipairs(NAMES) do
      spec.choices_of[name] = spec.chooses and formats.products() or { spec.arithmetic_of[name] }
    end
    for _, entry in ipairs(by_dtype(spec)) do spec.arithmetics[#spec.arithmetics + 1] = entry.dtype end
  end,
  properties = function(spec)
    local list = {}
    for _, name in ipairs(spec.narrow and not spec.chooses and joined(spec.linears, spec.last_linears) or {}) do
      list[#list + 1] = { ("arithmetic[GA_LINEAR_%s]"):format(name:upper()),
        "ARITHMETIC_" .. formats.word(spec.arithmetic_of[name]):upper() }
    end
    return list
  end,
  sentence = function(spec)
    local parts, list = {}, by_dtype(spec)
    if not spec.narrow then return nil end
    if spec.chooses then return ANY:format(all_of(spec), text.join(formats.products(), "or")) end
    if #list == 1 then return ("%s multiply %s"):format(all_of(spec), formats.get(list[1].dtype).product.sentence) end
    for i, entry in ipairs(list) do
      parts[i] = ("%s %s %s"):format(text.join(entry.names), multiplies(entry.names),
        formats.get(entry.dtype).product.sentence or "floats")
    end
    return (#spec.last_linears > 0 and "linears: " or "linears of layers: ") .. table.concat(parts, "; ")
  end,
}
