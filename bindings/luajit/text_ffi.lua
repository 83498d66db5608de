-- text_ffi.lua: libga_text by LuaJIT's FFI, as bindings/lua/text.c gives it to Lua 5.4: tokenizers, texts to ids and
-- back. Loaded when a text is first asked for. Makes no batches and no vectors.
local ffi = require "ffi"

ffi.cdef(require("genattn.declarations").text_cdef)

local C, new = ffi.C, ffi.new
local lib = ffi.load(assert(package.searchpath("genattn.text_library", package.cpath)))
local SIZE_MAX = ffi.cast("size_t", ffi.cast("int64_t", -1))
local PATH_MAX = 4096
local text = {}

-- Calls a function that takes a struct ga_error last; an error of Lua where it fails.
local function check(name, ...)
  local err, arguments, count = new("struct ga_error"), { ... }, select("#", ...) + 1
  arguments[count] = err
  local status = lib[name](unpack(arguments, 1, count))
  if status ~= 0 then
    error(ffi.string(err.status == status and err.text or lib.ga_status_text(status)), 0)
  end
end

-- The tokenizer of a file, or of bytes that path stands for, for the model of a spec.
function text.open(spec, path, bytes)
  local made, context = new("struct ga_text_tokenizer *[1]"), new("struct ga_text_context *[1]")
  check("ga_text_tokenizer_open_for", spec, path, bytes, bytes and #bytes or 0, made)
  local handle = made[0]
  if lib.ga_text_context_open(handle, context) ~= 0 then
    lib.ga_text_tokenizer_close(handle)
    error(path .. ": no memory for the tokenizer", 0)
  end
  return { handle = handle, context = ffi.gc(context[0], function(last)
    lib.ga_text_context_close(last)
    lib.ga_text_tokenizer_close(handle)
  end) }
end

-- What a spec has before texts, "" where it has nothing.
function text.prompt(spec)
  local bytes = new("char[?]", lib.GA_TEXT_PROMPT)
  return ffi.string(bytes, lib.ga_text_recorded_prompt(spec, bytes, lib.GA_TEXT_PROMPT))
end

-- The largest id that it knows, and 1.
function text.n_ids(tokenizer)
  return tonumber(lib.ga_text_tokenizer_ids(tokenizer.handle))
end

-- Whether the text of a model's spec records another tokenizer.
function text.is_other(tokenizer, spec)
  local recorded = new("uint64_t[1]")
  return lib.ga_text_recorded_hash(spec, recorded) and recorded[0] ~= lib.ga_text_tokenizer_hash(tokenizer.handle)
end

-- The path of the tokenizer.json in the folder of weights, whether or not there is one; nil: it does not fit.
function text.beside(weights)
  local path = new("char[?]", PATH_MAX)
  return lib.ga_text_tokenizer_beside(weights, path, PATH_MAX) and ffi.string(path) or nil
end

-- -- Texts ----------------------------------------------------------------------------------------------------------

local function copy(kind, from, count, size)
  local to = new(kind, count)
  if count > 0 then ffi.copy(to, from, count * size) end
  return to
end

-- The places of each token in the text, [count][2], and an array of the tokens.
local function tokens_of(encoding, count)
  local places, tokens = new("int32_t[?]", 2 * count), {}
  for i = 0, count - 1 do
    places[2 * i], places[2 * i + 1] = encoding.offsets[i].begin, encoding.offsets[i]["end"]
    tokens[i + 1] = ffi.string(encoding.tokens[i].bytes, encoding.tokens[i].length)
  end
  return places, tokens
end

-- Encodes a text, with the pair after it unless it is nil. Returns how many tokens there are, and buffers of their ids
-- and types; where is_whole, also of which were added and of their places, and an array of the tokens. limit: of
-- tokens, as the file says if nil; is_plain: without the tokens that are added.
function text.encode(tokenizer, given, pair, limit, is_plain, is_whole)
  local encoding = new("struct ga_text_encoding")
  local flags = (is_plain and C.GA_TEXT_NO_SPECIAL_TOKENS or 0) + (is_whole and C.GA_TEXT_OFFSETS or 0)
  lib.ga_text_context_set_limit(tokenizer.context, limit or SIZE_MAX)
  check("ga_text_encode", tokenizer.context, given, #given, pair, pair and #pair or 0, flags, encoding)
  local count = tonumber(encoding.count)
  local ids, types = copy("int32_t[?]", encoding.ids, count, 4), copy("int32_t[?]", encoding.type_ids, count, 4)
  if not is_whole then return count, ids, types end
  return count, ids, types, copy("uint8_t[?]", encoding.special, count, 1), tokens_of(encoding, count)
end

-- The text of count ids in a buffer.
function text.decode(tokenizer, ids, count, skips_special)
  local view = new("struct ga_text_view")
  check("ga_text_decode", tokenizer.context, ids, count, skips_special, view)
  return ffi.string(view.bytes, view.length)
end

return text
