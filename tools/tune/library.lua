-- library.lua: calls of a model's shared library through the C interface, by LuaJIT's FFI: random weights and inputs,
-- calls of a few sizes, their time and their results. Compares nothing.
local compat = require "base.compat"
local ffi = require "ffi"

local Library = {}
Library.__index = Library

local C = ffi.C
local LENGTHS = { 20, 128, 512 } -- of the calls that are measured, within the model's range
local CACHED = 256               -- keys in the cache before the call with one row
local SAMPLE, LONGEST = 1e-3, 0.25 -- seconds of a sample at least; a longer call is only measured if no other is

ffi.cdef [[
  struct timespec_of_tune { long seconds, nanoseconds; };
  int clock_gettime(int clock, struct timespec_of_tune *time);
  int sched_getcpu(void);
  int sched_getaffinity(int process, size_t size, void *set);
  int sched_setaffinity(int process, size_t size, const void *set);
]]

local THREAD_TIME = 3 -- CLOCK_THREAD_CPUTIME_ID: what others do on this CPU does not count
local now_time = ffi.new("struct timespec_of_tune")
-- Libraries stay loaded: memory that is freed late is freed by them.
local loaded = {}

local function now()
  C.clock_gettime(THREAD_TIME, now_time)
  return tonumber(now_time.seconds) + tonumber(now_time.nanoseconds) * 1e-9
end

-- Declares the public headers. text: what bindings/luajit/declarations.lua writes.
function Library.declare(text)
  ffi.cdef(assert(load(text))().cdef)
end

-- Keeps this process on the CPU that it is on. Returns a function that lets it go, for builds.
function Library.pin()
  local before, only = ffi.new("uint8_t[128]"), ffi.new("uint8_t[128]")
  C.sched_getaffinity(0, 128, before)
  local cpu = C.sched_getcpu()
  if cpu < 0 or cpu >= 1024 then return function() end end
  only[math.floor(cpu / 8)] = 2 ^ (cpu % 8)
  C.sched_setaffinity(0, 128, only)
  return function() C.sched_setaffinity(0, 128, before) end
end

-- -- Memory and numbers -----------------------------------------------------------------------------------------------

-- Memory that lives as long as this library.
local function block(self, size)
  local room = self.lib.ga_block_new(size)
  if room == nil then error(("no memory for %d bytes"):format(tonumber(size)), 0) end
  self.kept[#self.kept + 1] = ffi.gc(room, self.lib.ga_block_free)
  return room
end

-- Floats from -bound to bound, the same each time.
local function floats(self, count, bound)
  local list, state = ffi.cast("float *", block(self, math.max(1, count) * 4)), 1
  for i = 0, count - 1 do
    state = state * 16807 % 2147483647
    list[i] = (state / 1073741823.5 - 1) * bound
  end
  return list
end

local function tokens(self, count, vocabulary)
  local list, state = ffi.new("int32_t[?]", count), 1
  self.kept[#self.kept + 1] = list
  for i = 0, count - 1 do
    state = state * 16807 % 2147483647
    list[i] = state % vocabulary
  end
  return list
end

local function check(self, name, ...)
  local err = ffi.new("struct ga_error")
  local arguments, n = { ... }, select("#", ...)
  arguments[n + 1] = err
  if self.lib[name](compat.unpack(arguments, 1, n + 1)) ~= 0 then error(name .. ": " .. ffi.string(err.text), 0) end
end

-- -- Loading ----------------------------------------------------------------------------------------------------------

local function views(self)
  local model, roles = self.model, ffi.new("struct ga_weight_view[?]", math.max(1, tonumber(self.model.n_roles)))
  for r = 0, tonumber(model.n_roles) - 1 do
    local role = model.roles[r]
    local columns = role.rank == 2 and tonumber(role.shape[1]) or 1
    local fan_in = role.rank == 2 and columns or tonumber(model.d_model)
    roles[r] = { floats(self, tonumber(role.shape[0]) * columns, 1 / math.sqrt(fan_in)), columns, 1 }
  end
  return roles
end

-- Packs random weights, which are freed then.
local function pack(self)
  local size, handle = self.lib.ga_model_packed_size(self.variant), ffi.new("struct ga_loaded *[1]")
  local memory, of_packed = block(self, size), self.kept
  self.kept = {}
  check(self, "ga_model_pack", self.model, self.variant, views(self), memory, size, handle)
  self.packed, self.kept = handle[0].packed, of_packed
end

-- The library of a model at a path. name: the model's. as: a library with other tuning parameters, whose packed weights
-- and inputs this one uses, so that memory makes no difference between them; nil for the first.
function Library.open(path, name, as)
  ffi.cdef(("extern const struct ga_model %s_model;"):format(name))
  local lib = ffi.load(path)
  loaded[#loaded + 1] = lib
  local self = setmetatable({ lib = lib, model = lib[name .. "_model"], kept = {}, as = as }, Library)
  local variant = ffi.new("struct ga_variant *[1]")
  check(self, "ga_model_variant", self.model, nil, variant)
  self.variant = variant[0]
  self.isa, self.packing = ffi.string(self.variant.isa), ("%x"):format(self.variant.packing)
  if as then
    if as.packing ~= self.packing then error("a candidate packs weights in another way", 0) end
    self.packed = as.packed
  else
    pack(self)
  end
  self.loaded = ffi.new("struct ga_loaded", { self.model, self.variant, self.packed })
  return self
end

-- -- Calls ------------------------------------------------------------------------------------------------------------

-- The sizes of the calls: { q_len, kv_len, cached }.
local function sizes(model)
  local list, seen = {}, {}
  local function within(range, n) return math.max(tonumber(range.min), math.min(tonumber(range.max), n)) end
  for _, length in ipairs(LENGTHS) do
    local q_len = within(model.q_len, length)
    if not seen[q_len] then list[#list + 1] = { q_len = q_len, kv_len = within(model.kv_len, q_len), cached = 0 } end
    seen[q_len] = true
  end
  local most = tonumber(model.cache)
  if most > 1 and model.q_len.min <= 1 then
    list[#list + 1] = { q_len = 1, kv_len = within(model.kv_len, 1), cached = math.min(CACHED, most - 1) }
  end
  return list
end

-- Which result of a call is asked for, and its floats for a batch of one.
local function result_of(model, q_len)
  local stack = model.stack
  if stack ~= nil and stack.d_embedding > 0 then return "embedding", tonumber(stack.d_embedding) end
  if stack ~= nil and stack.n_labels > 0 then return "class_logits", tonumber(stack.n_labels) end
  if stack ~= nil and stack.n_logits > 0 then return "last_logits", tonumber(stack.n_logits) end
  return "output", q_len * tonumber(model.d_out)
end

local function give_inputs(self, io, size, batch)
  local model, stack = self.model, self.model.stack
  local d_model, k_dim, v_dim = tonumber(model.d_model), tonumber(model.k_dim), tonumber(model.v_dim)
  local rows, keys = size.q_len * batch, size.kv_len * batch
  local is_wide = v_dim ~= k_dim
  local is_cross = k_dim ~= d_model or is_wide or model.kind == C.GA_DECODER or model.kind == C.GA_TRANSFORMER or
    size.kv_len ~= size.q_len
  if stack ~= nil and model.vocab_size > 0 then
    io.tokens = tokens(self, rows, tonumber(model.vocab_size))
  else
    io.query = floats(self, rows * d_model, 1)
  end
  if is_cross then io.key, io.kv_len = floats(self, keys * k_dim, 1), size.kv_len end
  if is_wide then io.value = floats(self, keys * v_dim, 1) end
  if stack ~= nil and stack.sublayer then io.sublayer = floats(self, rows * d_model, 1) end
end

-- A cache with so many keys in it. Caches belong to the library that made them.
local function make_cache(self, size, batch)
  local model, lib = self.model, self.lib
  local capacity = size.cached + math.max(size.q_len, size.kv_len)
  local bytes, handle = lib.ga_cache_size(model, self.variant, batch, capacity), ffi.new("struct ga_cache *[1]")
  local room = block(self, bytes)
  check(self, "ga_cache_init", self.loaded, batch, capacity, room, bytes, handle)
  local layers = model.stack ~= nil and tonumber(model.stack.n_layers) or 1
  local rows = floats(self, layers * tonumber(model.n_kv_heads) * size.cached * tonumber(model.d_head), 1)
  for b = 0, batch - 1 do check(self, "ga_cache_put", handle[0], b, rows, rows, size.cached, size.cached) end
  return handle[0]
end

-- A call of these sizes: the same memory as that of the library `as`, except for its cache.
local function make_call(self, size, i)
  local batch = math.max(1, tonumber(self.model.batch))
  local io, as = ffi.new("struct ga_io"), self.as and self.as.calls[i]
  io.batch, io.q_len = batch, size.q_len
  if as then ffi.copy(io, as.io, ffi.sizeof(io)) else give_inputs(self, io, size, batch) end
  local name, count = result_of(self.model, size.q_len)
  local output = as and as.output or floats(self, count * batch, 0)
  io[name] = output
  if self.model.cache > 0 then io.cache = make_cache(self, size, batch) end
  local scratch_size = self.lib.ga_model_scratch_size(self.model, self.variant, batch, size.q_len, size.kv_len, 1)
  local scratch = block(self, scratch_size)
  return { io = io, output = output, bytes = count * batch * 4, scratch = scratch, scratch_size = scratch_size,
    cached = size.cached, batch = batch, repeats = as and as.repeats,
    what = ("q_len %d, kv_len %d, cached %d"):format(size.q_len, size.kv_len, size.cached) }
end

local function run(self, call)
  for b = 0, call.io.cache ~= nil and call.batch - 1 or -1 do
    check(self, "ga_cache_cut", call.io.cache, b, call.cached)
  end
  if self.lib.ga_model_run(self.loaded, call.io, call.scratch, call.scratch_size, self.err) ~= 0 then
    error("ga_model_run: " .. ffi.string(self.err.text), 0)
  end
end

-- Makes the calls, and runs each once. The first library measures how often each is repeated in a sample, and leaves
-- long calls out.
function Library:prepare()
  self.calls, self.err = {}, ffi.new("struct ga_error")
  for i, size in ipairs(self.as and self.as.sizes or sizes(self.model)) do
    local call = make_call(self, size, i)
    run(self, call)
    local start = now()
    run(self, call)
    local took = now() - start
    call.repeats = call.repeats or math.max(1, math.ceil(SAMPLE / math.max(took, 1e-7)))
    if #self.calls == 0 or self.as or took < LONGEST then self.calls[#self.calls + 1] = call end
    if not self.as then call.size = size end
  end
  self.sizes = self.as and self.as.sizes or {}
  for i, call in ipairs(self.calls) do self.sizes[i] = self.sizes[i] or call.size end
  return self
end

-- Seconds of a sample of call i.
function Library:time(i)
  local call = self.calls[i]
  local start = now()
  for _ = 1, call.repeats do run(self, call) end
  return (now() - start) / call.repeats
end

-- The bytes of each call's result.
function Library:results()
  local list = {}
  for i, call in ipairs(self.calls) do
    ffi.fill(call.output, call.bytes, 0xFF)
    run(self, call)
    list[i] = ffi.string(call.output, call.bytes)
  end
  return list
end

-- The sizes of the calls, as text.
function Library:descriptions()
  local list = {}
  for i, call in ipairs(self.calls) do list[i] = call.what end
  return list
end

return Library
