-- linear_dtype.lua: what a dtype goes with: it is the arithmetic of the linears of layers, of all or of each. What goes
-- in and comes out, sums, norms, residuals and all other linears stay f32; attention has a file of its own.
local arithmetic = require "arithmetic"
local dtypes = require "schema.dtypes"
local text = require "base.text"

local SENTENCES = {
  bf16 = "rows and weights rounded to bf16, in sums of 128 products",
  i16 = "rows of 15 bits by weights of up to 16, in sums of 128 products",
  int8 = "rows of 8 bits by weights of 8 bits, in sums of 256 products",
}

local ANY = "linears of layers multiply what a call chooses for each: %s; f32 where it chooses none"

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

-- The dtype of each linear, as the field says it.
local function each(dtype)
  local given, of = type(dtype) == "table" and dtype or { default = dtype ~= dtypes.ANY and dtype or "f32" }, {}
  for _, name in ipairs(dtypes.LINEARS) do of[name] = given[name] or given.default or "f32" end
  return of
end

-- The field where it asks for anything but floats, in words of a spec; nil where it does not.
local function narrow(dtype)
  if type(dtype) == "string" then return dtype ~= "f32" and ('dtype = "%s"'):format(dtype) or nil end
  for _, name in ipairs({ "default", "q", "k", "v", "o", "up", "down" }) do
    if dtype[name] and dtype[name] ~= "f32" then return ('dtype.%s = "%s"'):format(name, dtype[name]) end
  end
end

local function check_narrow(spec, given, fail)
  given = given .. " is given, but "
  if spec.kind == "sdpa" then
    fail(given .. 'kind = "sdpa" has no linears')
  elseif spec.n_layers == 0 then
    fail(given .. "n_layers = 0 leaves no linears of layers")
  elseif spec.shared_heads then
    fail(given .. "linears whose weights all heads share multiply floats alone")
  elseif spec.weights_dtype ~= "f32" then
    fail(given .. ('weights_dtype = "%s" is of linears that multiply floats'):format(spec.weights_dtype))
  end
end

-- A linear that is named and not there.
local function check_named(spec, linears, fail)
  local is_there = {}
  for _, name in ipairs(linears) do is_there[name] = true end
  for _, name in ipairs(type(spec.dtype) == "table" and dtypes.LINEARS or {}) do
    if spec.dtype[name] and not is_there[name] then
      fail(("dtype.%s is given, but the model has no such linear; those of its layers: %s"):format(name,
        table.concat(linears, ", ")))
    end
  end
end

-- Which linears of a spec have each dtype, in order: { dtype, names }.
local function by_dtype(spec)
  local list = {}
  for _, dtype in ipairs(arithmetic.names()) do
    local names = {}
    for _, name in ipairs(spec.narrow and spec.linears or {}) do
      names[#names + 1] = (spec.chooses or spec.arithmetic_of[name] == dtype) and name or nil
    end
    if #names > 0 then list[#list + 1] = { dtype = dtype, names = names } end
  end
  return list
end

return {
  name = "linear_dtype",
  -- spec.arithmetic_of: what each linear of layers multiplies; spec.chooses: whether a call may choose another, and
  -- spec.choices_of: those of each linear; spec.arithmetics: those of all, each once.
  resolve = function(spec, fail)
    spec.linears, spec.narrow = linears_of(spec), narrow(spec.dtype)
    if #spec.linears > 0 then check_named(spec, spec.linears, fail) end
    if spec.narrow then check_narrow(spec, spec.narrow, fail) end
    spec.arithmetic_of, spec.arithmetics, spec.choices_of = each(spec.dtype), {}, {}
    spec.chooses = spec.dtype == dtypes.ANY
    for _, name in ipairs(dtypes.LINEARS) do
      spec.choices_of[name] = spec.chooses and arithmetic.names() or { spec.arithmetic_of[name] }
    end
    for _, entry in ipairs(by_dtype(spec)) do spec.arithmetics[#spec.arithmetics + 1] = entry.dtype end
  end,
  sentence = function(spec)
    local parts, list = {}, by_dtype(spec)
    if not spec.narrow then return nil end
    if spec.chooses then return ANY:format(text.join(arithmetic.names(), "or")) end
    if #list == 1 then return "linears of layers multiply " .. SENTENCES[list[1].dtype] end
    for i, entry in ipairs(list) do
      parts[i] = ("%s %s %s"):format(text.join(entry.names), #entry.names > 1 and "multiply" or "multiplies",
        SENTENCES[entry.dtype] or "floats")
    end
    return "linears of layers: " .. table.concat(parts, "; ")
  end,
}
