-- call.lua: a model with its weights, and its calls: tensors looked at, the call filled, room made for results. Knows
-- the library by its binding alone, and texts by the other files, which it loads when a text is first asked for.
local new_sizes = require "genattn.sizes"
local numbers = require "genattn.numbers"
local tensor = require "genattn.tensor"

local Runner = {}

local function open_tokenizer(self)
  self.tokenizer = require("genattn.text")(self.core, self.tokenizer_path, self.weights_path)
  return self.tokenizer
end

-- model.tokenizer is opened when it is first asked for.
function Runner.__index(self, key)
  return key == "tokenizer" and open_tokenizer(self) or Runner[key]
end

-- -- What is given --------------------------------------------------------------------------------------------------

-- A tensor, or arrays of Lua within arrays as one.
local function as_tensor(self, name, given, kind)
  if tensor.is(given) then
    if given.kind ~= kind then
      error(("%s: %s is of %s; expected %s"):format(self.name, name, given.kind, kind), 0)
    end
    return given
  end
  local shape, values
  if type(given) == "table" then shape, values = tensor.flatten(given) end
  if not shape then
    error(("%s: %s is %s; expected a tensor, or arrays of numbers"):format(self.name, name,
      type(given) == "table" and "a ragged table" or type(given)), 0)
  end
  return tensor.new(self.core.buffer, shape, values, name, kind)
end

-- A mask: the field of the call that it goes to, and its strides to another.
local function give_mask(self, frame, sizes, name, given)
  local input = self.shapes.inputs[name]
  local is_additive = input.is_additive
  local mask = as_tensor(self, name, given, is_additive and "f32" or "u8")
  local expected = sizes:fill(input.spreads, 0)
  local field = is_additive and name:gsub("mask", "additive_mask") or name
  frame:give_numbers(name .. "_strides", sizes:strides(name, mask.shape, expected))
  frame:give(field, mask.data)
end

local function give_inputs(self, frame, sizes, given)
  local inputs = self.shapes.inputs
  for _, name in ipairs(self.shapes.order) do
    local value, input = given[name], inputs[name]
    if value ~= nil and input.spreads then
      give_mask(self, frame, sizes, name, value)
    elseif value ~= nil then
      local x = as_tensor(self, name, value, input.kind)
      sizes:match(name, x.shape, input.shape)
      frame:give(name, x.data)
    end
  end
end

-- -- What comes out -------------------------------------------------------------------------------------------------

local function room(self, name, shape)
  return tensor.new(self.core.buffer, shape, nil, name)
end

local function give_output(self, frame, sizes, name)
  local output = self.shapes.outputs[name]
  if not output then
    error(("%s: outputs names %s; this model gives %s (outputs in the spec lists more)"):format(self.name,
      tostring(name), table.concat(self.shapes.output_names, ", ")), 0)
  end
  local shape = output.shape and sizes:fill(output.shape, self.core.facts.extra_keys)
  if output.index then
    local filled = sizes:fill({ "B", "Q", "K" }, 0)
    local x = room(self, name, self.core:intermediate_shape(output.index, filled[1], filled[2], filled[3]))
    frame:give("intermediates", x.data, output.index)
    return x
  elseif output.count then
    local list, buffers = {}, {}
    for i = 1, output.count do list[i] = room(self, name .. " " .. i - 1, shape) end
    for i, x in ipairs(list) do buffers[i] = x.data end
    frame:give_list(name, buffers)
    return list
  end
  local x = room(self, name, shape)
  frame:give(name, x.data)
  return x
end

local function give_outputs(self, frame, sizes, outputs)
  local results = {}
  for _, name in ipairs(outputs) do results[name] = give_output(self, frame, sizes, name) end
  -- A layer's call always has an output.
  if not results.output and not self.core.facts.stack then give_output(self, frame, sizes, "output") end
  return results
end

-- -- Calls ----------------------------------------------------------------------------------------------------------

local OPTIONS = { cache = true, outputs = true }

local function check_names(self, given)
  for name in pairs(given) do
    if not self.shapes.inputs[name] and not OPTIONS[name] then
      error(("%s: there is no argument %s; expected %s, cache or outputs"):format(self.name, tostring(name),
        table.concat(self.shapes.order, ", ")), 0)
    end
  end
end

-- A call by names. Returns a table of the tensors that `outputs` lists, or the one that it names.
local function run(self, given)
  local frame, sizes, outputs = self.frame, new_sizes(self.name), given.outputs or self.shapes.default
  check_names(self, given)
  self.last = false
  frame:clear()
  give_inputs(self, frame, sizes, given)
  local results = give_outputs(self, frame, sizes, type(outputs) == "table" and outputs or { outputs })
  if given.cache then frame:give_cache(given.cache.core_cache) end
  frame:size(sizes.B or 0, sizes.Q or 0, sizes.K or 0)
  frame:run()
  frame:clear()
  if type(outputs) == "table" then return results end
  return results[outputs]
end

local function same_shape(a, b)
  return a[1] == b[1] and a[2] == b[2] and a[3] == b[3] and a[4] == b[4]
end

-- Sets the call up for rows of this shape and nothing else.
local function begin_attending(self, query)
  local sizes = new_sizes(self.name)
  sizes:match("query", query.shape, self.shapes.inputs.query.shape)
  self.frame:clear()
  self.frame:size(sizes.B, sizes.Q, 0)
  self.last = { shape = query.shape, output = sizes:fill(self.shapes.outputs.output.shape, 0) }
end

-- self:attend(query, output) -> output: rows alone, the usual call of a layer without a cache, at the least cost.
-- output: a tensor for the result, made where it is nil.
function Runner:attend(query, output)
  if not tensor.is(query) or query.kind ~= "f32" then
    error(("%s: query is %s; expected a tensor of f32"):format(self.name, tensor.is(query) and query.kind
      or type(query)), 0)
  end
  if not self.last or not same_shape(self.last.shape, query.shape) then begin_attending(self, query) end
  if output == nil then
    output = room(self, "output", self.last.output)
  elseif not tensor.is(output) or output.kind ~= "f32" or not same_shape(output.shape, self.last.output) then
    error(("%s: output is %s; expected a tensor of f32 %s"):format(self.name, tostring(output),
      tensor.shape_text(self.last.output)), 0)
  end
  self.frame:attend(query.data, output.data)
  return output
end

-- layer(query) gives the output, layer { query = ..., outputs = ... } what is named.
function Runner:__call(given, output)
  if tensor.is(given) then return Runner.attend(self, given, output) end
  if type(given) ~= "table" then
    error(("%s: called with %s; expected a tensor, or a table of arguments"):format(self.name, type(given)), 0)
  end
  return run(self, given)
end

-- See encode.lua.
function Runner:encode(sentences, options)
  return require("genattn.encode")(self, sentences, options)
end

-- -- Caches ---------------------------------------------------------------------------------------------------------

local Cache = {}
Cache.__index = Cache

-- An empty cache for `batch` sequences, 1 if nil, of up to `capacity` rows, the most that the model allows if nil.
function Runner:new_cache(batch, capacity)
  batch = numbers.whole("batch", batch or 1, 1, numbers.MOST)
  capacity = numbers.whole("capacity", capacity or self.core.facts.cache, 0, numbers.MOST)
  return setmetatable({ core = self.core, batch = batch, capacity = capacity, packed = self.packed,
    core_cache = self.core:cache(self.packed, batch, capacity) }, Cache)
end

-- Rows that each sequence holds, an array.
function Cache:lengths()
  local lengths = {}
  for i = 1, self.batch do lengths[i] = self.core:cache_length(self.core_cache, i - 1) end
  return lengths
end

local function check_sequence(self, sequence)
  if not numbers.is_whole(sequence, 1, self.batch) then
    error(("sequence %s of a cache of %d; expected 1..%d"):format(tostring(sequence), self.batch, self.batch), 0)
  end
end

-- Forgets the rows of a sequence, from 1 on, after the first `length`.
function Cache:cut(sequence, length)
  check_sequence(self, sequence)
  numbers.whole("length", length, 0, self.core:cache_length(self.core_cache, sequence - 1))
  self.core:cache_cut(self.core_cache, sequence - 1, length)
end

-- What keys and values of a sequence are: [n_kv_heads, rows, d_head], of a whole model with the layers before.
local function cached_shape(self, rows)
  local facts = self.core.facts
  local shape = { facts.n_kv_heads, rows, facts.d_head }
  if facts.stack then table.insert(shape, 1, facts.stack.n_layers) end
  return shape
end

-- Keys and values of a sequence, from 1 on: tensors of their own, [n_kv_heads, rows, d_head], of a whole model with the
-- layers before.
function Cache:get(sequence)
  check_sequence(self, sequence)
  local rows = self.core:cache_length(self.core_cache, sequence - 1)
  local keys = tensor.new(self.core.buffer, cached_shape(self, rows), nil, "keys")
  local values = tensor.new(self.core.buffer, cached_shape(self, rows), nil, "values")
  if rows > 0 then self.core:cache_get(self.core_cache, sequence - 1, keys.data, values.data, rows) end
  return keys, values
end

-- Appends keys and values of the shapes that get gives; they are copied.
function Cache:put(sequence, keys, values)
  check_sequence(self, sequence)
  local rows = tensor.is(keys) and keys.shape[#keys.shape - 1] or 0
  local expected = tensor.shape_text(cached_shape(self, rows))
  for _, pair in ipairs { { "keys", keys }, { "values", values } } do
    local name, given = pair[1], pair[2]
    if not tensor.is(given) or given.kind ~= "f32" or tensor.shape_text(given.shape) ~= expected then
      error(("%s is %s; expected a tensor of f32 %s"):format(name, tostring(given), expected), 0)
    end
  end
  self.core:cache_put(self.core_cache, sequence - 1, keys.data, values.data, rows)
end

-- -- Loading --------------------------------------------------------------------------------------------------------

local function pool_of(core, threads)
  if threads == "all" then threads = core:available_threads() end
  if type(threads) ~= "number" then
    error(("threads is %s; expected a number, or \"all\""):format(tostring(threads)), 0)
  end
  numbers.whole("threads", threads, 1, numbers.MOST)
  return threads ~= 1 and core:pool(threads) or nil, threads
end

-- core, shapes: of a model; path and options: see module.lua.
return function(core, shapes, path, options)
  local pool, threads = pool_of(core, options.threads or 1)
  local packed = core:load(path, options.isa, options.layout, options.prefix, options.strict or false)
  local model = setmetatable({ name = core.facts.name, core = core, shapes = shapes, packed = packed,
    isa = core:isa(packed), threads = threads, frame = core:frame(packed, pool, threads), last = false,
    weights_path = path, tokenizer_path = options.tokenizer }, Runner)
  if options.tokenizer then open_tokenizer(model) end
  return model
end
