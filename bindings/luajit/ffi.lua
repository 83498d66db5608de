-- ffi.lua: the C library of a model by LuaJIT's FFI, as bindings/lua/core.c gives it to Lua 5.4: memory, weights,
-- caches, threads and calls by the names of struct ga_io. Checks no shape; that is the callers', in the other files of
-- it.
local ffi = require "ffi"
local declarations = require "genattn.declarations"

ffi.cdef(declarations.cdef)

local C, new = ffi.C, ffi.new
local null = nil -- a pointer of FFI that is NULL equals it
local SIZE_MAX = ffi.cast("size_t", ffi.cast("int64_t", -1))
local ELEMENTS = { f32 = "float[?]", i32 = "int32_t[?]", u8 = "uint8_t[?]" }
-- By name. Libraries stay loaded as long as this file: what is freed late is freed by them.
local cores = {}

-- -- What the library says ------------------------------------------------------------------------------------------

local function facts_of(struct, rows)
  local facts = {}
  for _, row in ipairs(rows) do
    local value = struct[row.name]
    if row.kind == "string" then
      value = value ~= null and ffi.string(value) or nil
    elseif row.kind == "number" then
      value = tonumber(value)
    end
    facts[row.name] = value
  end
  return facts
end

local function names_of(list, count)
  local names = {}
  for i = 1, tonumber(count) do names[i] = ffi.string(list[i - 1]) end
  return names
end

local function intermediates_of(lib, model)
  local list = {}
  for i = 0, C.GA_INTERMEDIATES - 1 do
    if model.intermediates[i] then list[#list + 1] = { name = ffi.string(lib.ga_intermediate_name(i)), index = i } end
  end
  return list
end

local function facts(lib, model)
  local all = facts_of(model, declarations.facts.ga_model)
  all.stack = model.stack ~= null and facts_of(model.stack, declarations.facts.ga_stack) or nil
  all.encoder = model.encoder ~= null and facts_of(model.encoder, declarations.facts.ga_stack) or nil
  all.q_len = { min = tonumber(model.q_len.min), max = tonumber(model.q_len.max) }
  all.sentences, all.intermediates = names_of(model.sentences, model.n_sentences), intermediates_of(lib, model)
  return all
end

local function refuse(lib, status, err)
  local text = err.status == status and ffi.string(err.text) or ffi.string(lib.ga_status_text(status))
  error(text, 0)
end

local function block(lib, size)
  if size == SIZE_MAX then error("a size does not fit in memory", 0) end
  local room = lib.ga_block_room(size)
  if room == null then error(("no memory for %d bytes"):format(tonumber(size)), 0) end
  return ffi.gc(room, lib.ga_block_free)
end

-- -- Weights --------------------------------------------------------------------------------------------------------

-- Calls a function that takes a struct ga_error last; an error of Lua where it fails.
local function check(lib, name, ...)
  local err = new("struct ga_error")
  local arguments = { ... }
  arguments[select("#", ...) + 1] = err
  local status = lib[name](unpack(arguments, 1, select("#", ...) + 1))
  if status ~= 0 then refuse(lib, status, err) end
end

local Core = {}
Core.__index = Core

-- Packed weights { loaded, variant, memory }.
local function packed_in(memory, variant, handle)
  return { loaded = handle[0], variant = variant[0], memory = memory }
end

local function pack(core, views, isa)
  local lib, variant = core.lib, new("struct ga_variant *[1]")
  check(lib, "ga_model_variant", core.model, isa, variant)
  local size, handle = lib.ga_model_packed_size(variant[0]), new("struct ga_loaded *[1]")
  local memory = block(lib, size)
  check(lib, "ga_model_pack", core.model, variant[0], views, memory, size, handle)
  return packed_in(memory, variant, handle)
end

local function from_packed(core, path, isa)
  local lib, file, variant = core.lib, new("struct ga_pack"), new("struct ga_variant *[1]")
  local handle = new("struct ga_loaded *[1]")
  check(lib, "ga_pack_open", path, file)
  local ok, made = pcall(function()
    check(lib, "ga_pack_variant", file, core.model, isa, variant)
    local size = lib.ga_model_packed_size(variant[0])
    local memory = block(lib, size)
    check(lib, "ga_pack_load", file, core.model, variant[0], C.GA_PACK_VERIFY, memory, size, handle)
    return packed_in(memory, variant, handle)
  end)
  lib.ga_pack_close(file)
  if not ok then error(made, 0) end
  return made
end

function Core:is_packed(path)
  return self.lib.ga_pack_is_file(path)
end

-- The bytes of an attachment in a file of packed weights, nil where it has none.
function Core:attachment(path, name)
  local lib, file = self.lib, new("struct ga_pack")
  check(lib, "ga_pack_open", path, file)
  local ok, bytes = pcall(function()
    local section = lib.ga_pack_attachment(file, name)
    if section == null then return nil end
    local room = new("char[?]", section.bytes)
    check(lib, "ga_pack_read_attachment", file, section, room)
    return ffi.string(room, section.bytes)
  end)
  lib.ga_pack_close(file)
  if not ok then error(bytes, 0) end
  return bytes
end

-- The instruction set of packed weights.
function Core.isa(_, packed)
  return ffi.string(packed.variant.isa)
end

-- path: of weights or packed weights, nil for a model without; isa, layout, prefix: nil for the default; strict:
-- refuses a file with more than the model takes.
function Core:load(path, isa, layout, prefix, strict)
  local lib = self.lib
  if not path then return pack(self, nil, isa) end
  if lib.ga_pack_is_file(path) then return from_packed(self, path, isa) end
  local open = new("struct ga_weights *[1]")
  check(lib, "ga_weights_open_model", path, nil, open)
  local file = ffi.gc(open[0], lib.ga_weights_close)
  local options = new("struct ga_load_options", { layout = layout, prefix = prefix, strict = strict })
  local views = new("struct ga_weight_view[?]", tonumber(self.model.n_roles))
  check(lib, "ga_load_views_with", self.model, file, options, views)
  local made = pack(self, views, isa)
  lib.ga_weights_close(ffi.gc(file, nil))
  return made
end

-- -- Memory, threads, caches ----------------------------------------------------------------------------------------

-- Zeros of a kind: "f32", "i32" or "u8". Indices begin at 0 and are not checked here.
function Core.buffer(kind, count)
  return new(ELEMENTS[kind], count)
end

function Core:pool(threads)
  local pool = new("struct ga_threads *[1]")
  check(self.lib, "ga_threads_new", threads, pool)
  return ffi.gc(pool[0], self.lib.ga_threads_free)
end

function Core:available_threads()
  return tonumber(self.lib.ga_threads_available())
end

function Core:allow_amx()
  return self.lib.ga_cpu_allow_amx()
end

-- A cache { handle, memory }.
function Core:cache(packed, batch, capacity)
  local lib, handle = self.lib, new("struct ga_cache *[1]")
  local size = lib.ga_cache_size(self.model, packed.variant, batch, capacity)
  local memory = block(lib, size)
  check(lib, "ga_cache_init", packed.loaded, batch, capacity, memory, size, handle)
  return { handle = handle[0], memory = memory }
end

-- Rows that sequence i, from 0 on, holds.
function Core:cache_length(cache, i)
  return self.lib.ga_cache_lengths(cache.handle)[i]
end

function Core:cache_cut(cache, i, length)
  check(self.lib, "ga_cache_cut", cache.handle, i, length)
end

-- Copies rows of sequence i to or from buffers of the shape that ga_cache_put has.
function Core:cache_get(cache, i, keys, values, rows)
  check(self.lib, "ga_cache_get", cache.handle, i, keys, values, rows)
end

function Core:cache_put(cache, i, keys, values, rows)
  check(self.lib, "ga_cache_put", cache.handle, i, keys, values, rows, rows)
end

function Core:intermediate_shape(index, batch, q_len, kv_len)
  local sizes, shape = new("size_t[4]"), {}
  local rank = self.lib.ga_intermediate_shape(self.model, index, batch, q_len, kv_len, sizes)
  for i = 1, tonumber(rank) do shape[i] = tonumber(sizes[i - 1]) end
  return shape
end

-- -- Calls ----------------------------------------------------------------------------------------------------------

local Frame = {}
Frame.__index = Frame

-- What a call needs, kept between calls: struct ga_io, scratch, an error.
function Core:frame(packed, pool, threads)
  local frame = setmetatable({ lib = self.lib, model = self.model, packed = packed, pool = pool, threads = threads,
    io = new("struct ga_io"), err = new("struct ga_error"), scratch_size = 0, kept = {} }, Frame)
  frame:clear()
  return frame
end

-- Makes all of the call absent, and lets go of what it held.
function Frame:clear()
  ffi.fill(self.io, ffi.sizeof(self.io))
  self.kept = {}
  if self.pool then self.io.parallel = self.lib.ga_threads_parallel(self.pool) end
end

-- Sets a pointer of struct ga_io to a buffer, which lives as long as the call; or one element of a list of pointers.
function Frame:give(name, buffer, index)
  self.kept[#self.kept + 1] = buffer
  if index then self.io[name][index] = buffer else self.io[name] = buffer end
end

-- Sets a list of outputs, one for each layer.
function Frame:give_list(name, buffers)
  local list = new("float *[?]", #buffers)
  for i, buffer in ipairs(buffers) do list[i - 1] = buffer end
  self.kept[#self.kept + 1] = { list, buffers }
  self.io[name] = list
end

function Frame:give_numbers(name, numbers)
  for i, number in ipairs(numbers) do self.io[name][i - 1] = number end
end

function Frame:give_cache(cache)
  self.kept[#self.kept + 1] = cache
  self.io.cache = cache.handle
end

function Frame:make_scratch(size)
  if not self.scratch or size > self.scratch_size then
    self.scratch = block(self.lib, size)
    self.scratch_size = size
  end
end

-- Sizes of the call, and scratch for it. Sizes that the library refuses get none, and an error from the call.
function Frame:size(batch, q_len, kv_len)
  local io = self.io
  io.batch, io.q_len, io.kv_len = batch, q_len, kv_len
  local size = self.lib.ga_model_scratch_size(self.model, self.packed.variant, batch, q_len, kv_len, self.threads)
  if size ~= SIZE_MAX then self:make_scratch(size) end
end

function Frame:run()
  local status = self.lib.ga_model_run(self.packed.loaded, self.io, self.scratch, self.scratch_size, self.err)
  if status ~= 0 then refuse(self.lib, status, self.err) end
end

-- The same call as before with other rows and other room for them.
function Frame:attend(query, output)
  local io = self.io
  io.query, io.output = query, output
  return self:run()
end

-- ga_batches_run. lengths: an array; types: nil where all are 0; name: of the results in struct ga_batches.
function Frame:batches(lengths, ids, types, most, name, results)
  local lib, loaded, plan = self.lib, self.packed.loaded, new("struct ga_batch_plan")
  local starts, order = new("size_t[?]", #lengths + 1), new("size_t[?]", #lengths + 1)
  for i, length in ipairs(lengths) do starts[i] = starts[i - 1] + length end
  local batches = new("struct ga_batches", { count = #lengths, starts = starts, ids = ids, types = types, first = 1,
    most = most })
  batches[name] = results
  if self.pool then batches.parallel = lib.ga_threads_parallel(self.pool) end
  check(lib, "ga_batches_plan", loaded, batches, order, plan)
  self:make_scratch(plan.scratch_size)
  check(lib, "ga_batches_run", loaded, batches, plan, self.scratch, self.scratch_size)
end

-- -- Opening --------------------------------------------------------------------------------------------------------

-- The library of the model `name`, found as C modules are: NAME/library.so.
return function(name)
  if cores[name] then return cores[name] end
  local path, tried = package.searchpath(name .. ".library", package.cpath)
  if not path then error(("%s: its library is not there:%s"):format(name, tried), 0) end
  local lib = ffi.load(path)
  ffi.cdef(("extern const struct ga_model %s_model;"):format(name))
  local model = lib[name .. "_model"]
  if model.abi ~= C.GA_ABI then
    error(("%s: the library has interface %d, its declarations %d"):format(name, model.abi, C.GA_ABI), 0)
  end
  local core = setmetatable({ lib = lib, model = model }, Core)
  core.facts = facts(lib, model)
  core.value = function(value) return tonumber(C[value]) end
  cores[name] = core
  return core
end
