-- text.lua: model.tokenizer: texts to token ids and back, by libga_text, which is loaded here and not before. Makes no
-- vectors.
local tensor = require "genattn.tensor"

-- How each host finds libga_text: a module of Lua, and what of it lies on package.cpath.
local FFI, C_MODULE = { "genattn.text_ffi", "genattn.text_library" }, { "genattn.text_core", "genattn.text_core" }
local ATTACHMENT = "_tokenizer" -- of packed weights

local Tokenizer = {}
Tokenizer.__index = Tokenizer

local function binding(name)
  local host = rawget(_G, "jit") and FFI or C_MODULE
  if not package.searchpath(host[2], package.cpath) then
    error(("%s: it was built without text: ./configure found no utf8proc or no PCRE2 (Debian: libutf8proc-dev " ..
      "libpcre2-dev)"):format(name), 0)
  end
  return require(host[1])
end

local function check_options(given, known)
  for option in pairs(given or {}) do
    if option ~= known then error(("there is no option %s; expected %s"):format(tostring(option), known), 0) end
  end
end

local function check_text(name, given)
  if type(given) ~= "string" then error(("%s is %s; expected a string"):format(name, type(given)), 0) end
end

-- A tensor of a buffer that is there.
local function around(buffer, shape, name, kind)
  return tensor.new(function() return buffer end, shape, nil, name, kind)
end

-- -- What it is asked for -------------------------------------------------------------------------------------------

-- tokenizer:encode(text, pair, { add_special_tokens = false }): what a text, and the one that comes after it unless it
-- is nil, become: tensors ids, type_ids and special_tokens_mask [n], offsets [n, 2], which are code points of the text
-- from 0, the first and the one after the last; and tokens, an array of strings.
function Tokenizer:encode(given, pair, options)
  check_text("text", given)
  if pair ~= nil then check_text("pair", pair) end
  check_options(options, "add_special_tokens")
  local is_plain = options and options.add_special_tokens == false
  local n, ids, types, special, places, tokens = self.text.encode(self.handle, given, pair, nil, is_plain, true)
  return { ids = around(ids, { n }, "ids", "i32"), type_ids = around(types, { n }, "type_ids", "i32"), tokens = tokens,
    offsets = around(places, { n, 2 }, "offsets", "i32"),
    special_tokens_mask = around(special, { n }, "special_tokens_mask", "u8") }
end

-- tokenizer:decode(ids, { skip_special_tokens = false }): the text of ids, a tensor or an array; those that it does not
-- know are left out, and special ones unless it is told otherwise.
function Tokenizer:decode(ids, options)
  check_options(options, "skip_special_tokens")
  if not tensor.is(ids) then
    if type(ids) ~= "table" then error(("ids is %s; expected a tensor, or an array"):format(type(ids)), 0) end
    ids = tensor.new(self.buffer, { #ids }, ids, "ids", "i32")
  elseif ids.kind ~= "i32" then
    error(("ids is of %s; expected i32"):format(ids.kind), 0)
  end
  return self.text.decode(self.handle, ids.data, ids.n, not (options and options.skip_special_tokens == false))
end

-- For the batches of encode: how many ids a text has, cut at limit, and buffers of them and of their types.
function Tokenizer:ids_of(given, pair, limit)
  return self.text.encode(self.handle, given, pair, limit, false, false)
end

function Tokenizer:__tostring()
  return ("tokenizer: %s, %d ids"):format(self.path, self.n_ids)
end

-- -- Which it is ----------------------------------------------------------------------------------------------------

local function refuse_other(core, path)
  error(("%s: %s was made for another tokenizer, whose hash its spec records; tokenizer of load names one that is " ..
    "taken all the same"):format(path, core.facts.name), 0)
end

-- The tokenizer at path, or what the weights bring, in a packed file or in its folder; and its path.
local function open(core, text, path, weights)
  local spec = core.facts.spec
  if path then return text.open(spec, path), path end
  local bytes = weights and core:is_packed(weights) and core:attachment(weights, ATTACHMENT)
  if bytes then return text.open(spec, weights .. ": its tokenizer", bytes), weights end
  path = weights and text.beside(weights)
  local good, handle = pcall(text.open, spec, path) -- Lua's own io.open would wait for a pipe
  if not path or not good then
    error(("%s: no tokenizer.json in the folder of the weights%s; expected one, or tokenizer among the options of " ..
      "load"):format(core.facts.name, path and " that can be taken: " .. handle or ""), 0)
  end
  if text.is_other(handle, spec) then refuse_other(core, path) end
  return handle, path
end

-- core: of a model; path: of a tokenizer.json, nil for the one that the weights bring.
return function(core, path, weights)
  local facts = core.facts
  if facts.vocab_size == 0 then
    error(("%s takes no token ids, so that there is nothing to make of text; set vocab_size in the spec"):format(
      facts.name), 0)
  end
  local text = binding(facts.name)
  local handle, found = open(core, text, path, weights)
  local n_ids = text.n_ids(handle)
  if n_ids > facts.vocab_size then
    error(("%s: has ids up to %d; expected below %d, as %s has: it is of another model, or tokens were added to it " ..
      "and not to the model"):format(found, n_ids - 1, facts.vocab_size, facts.name), 0)
  end
  return setmetatable({ path = found, n_ids = n_ids, text = text, handle = handle, buffer = core.buffer,
    prompt = text.prompt(facts.spec) }, Tokenizer)
end
