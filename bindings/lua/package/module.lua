-- module.lua: what `require "NAME"` gives, for any model: NAME.load, NAME.tensor, facts. Picks LuaJIT's FFI or the C
-- module of Lua 5.4; everything else is the same for both.
local load_weights = require "genattn.call"
local shapes_of = require "genattn.shapes"
local tensor = require "genattn.tensor"

local OPTIONS = { isa = true, layout = true, prefix = true, strict = true, threads = true,
  tokenizer = true }

local function core_of(name)
  if rawget(_G, "jit") then return require("genattn.ffi")(name) end
  return require(name .. ".core")
end

local function check_options(name, options)
  for option in pairs(options) do
    if not OPTIONS[option] then
      error(("%s: there is no option %s; expected isa, layout, prefix, strict, threads or tokenizer"):format(name,
        option), 0)
    end
  end
end

-- name: of a model whose library lies on package.cpath. Returns the module:
--   name, sentences     what it is; facts: the fields of struct ga_model that are one value
--   load(path, options) a model with the weights of a file, safetensors or packed (.gap), or of a folder of shards;
--                       path is nil for a model without weights. options: threads, a number or "all"; isa, the
--                       instruction set, the CPU's best if nil; layout, whose names the weights have, found if nil;
--                       prefix of their names, in place of the spec's; strict, refuses a file with more than the model
--                       takes; tokenizer, the path of a tokenizer.json, nil for the one that the weights bring
--   allow_amx()         asks Linux to let this process use the matrix registers of AMX; whether it may then. Models of
--                       int8 that are loaded afterwards are faster on a CPU that has them, with the same bits. It lasts
--                       as long as the process
--   tensor(shape, values, name, kind)   see tensor.lua
return function(name)
  local core = core_of(name)
  local shapes = shapes_of(core)
  local module = { name = name, sentences = core.facts.sentences, facts = core.facts }

  function module.load(path, options)
    options = options or {}
    check_options(name, options)
    return load_weights(core, shapes, path, options)
  end

  function module.allow_amx()
    return core:allow_amx()
  end

  function module.tensor(...)
    return tensor.new(core.buffer, ...)
  end

  return module
end
