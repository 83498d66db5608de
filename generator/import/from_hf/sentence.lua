-- from_hf/sentence.lua: what a folder of sentence-transformers says beside its model: modules.json lists what follows
-- the stack (pooling, a norm), each with a config of its own, and how long a text may be. What is not made is refused.
local fs = require "base.fs"
local json = require "import.from_hf.json"

local sentence = {}

-- Ways to pool, as Pooling's config has them, and what each is in a spec.
local POOLS = {
  { "pooling_mode_cls_token", "cls" }, { "pooling_mode_mean_tokens", "mean" }, { "pooling_mode_max_tokens" },
  { "pooling_mode_mean_sqrt_len_tokens" }, { "pooling_mode_weightedmean_tokens" }, { "pooling_mode_lasttoken" },
}

local NO_SUCH_POOL = "%s is true; expected cls or mean: no other pool is made; --pool mean or --pool cls takes one " ..
  "in its place, which gives other vectors"

local Reader = {}
Reader.__index = Reader

function Reader:fail(path, message, ...)
  self.errors[#self.errors + 1] = path .. ": " .. message:format(...)
end

function Reader:add(path, config, value, field, made)
  self.rows[#self.rows + 1] = { config = path:sub(#self.folder + 2) .. ": " .. config, value = value, field = field,
    made = made }
end

-- A file of the folder, or nothing: a file that must be there and is not fails.
function Reader:read(path, is_optional)
  if is_optional and fs.kind(path) == "nothing" then return nil end
  local config, why = json.read(path)
  if not config then self.errors[#self.errors + 1] = why end
  return config
end

local MODULES = {}

function MODULES.Transformer(self, folder)
  self.transformer = folder
  local path = folder .. "/sentence_bert_config.json"
  local config = self:read(path, true)
  local longest = config and config.max_seq_length
  if longest == nil or longest == json.null then return end
  if type(longest) ~= "number" or longest < 1 or longest > 65536 or longest ~= math.floor(longest) then
    return self:fail(path, "max_seq_length is %s; expected a whole number from 1 to 65536", json.shown(longest))
  end
  self:add(path, "max_seq_length", longest, "seq_len", ("1..%d"):format(longest))
end

function MODULES.Pooling(self, folder)
  local path = folder .. "/config.json"
  local config = self:read(path)
  if not config then return end
  local found, is_given = 0, self.given["pool.kind"] ~= nil
  for _, pool in ipairs(POOLS) do
    if config[pool[1]] == true then
      found = found + 1
      if not pool[2] and not is_given then self:fail(path, NO_SUCH_POOL, pool[1]) end
      self:add(path, pool[1], true, "pool.kind", pool[2])
    end
  end
  if found ~= 1 and not is_given then self:fail(path, "%d of its pooling_mode_... are true; expected one", found) end
  self.width = { path = path, value = config.word_embedding_dimension }
end

function MODULES.Normalize(self)
  self:add(self.folder .. "/modules.json", "Normalize", nil, "pool.normalize", true)
end

-- A folder inside the model's: a plain name, or the model's own.
local function inner_folder(folder, path)
  if path == "" or path == nil then return folder end
  if type(path) == "string" and path:find("^[%w_][%w_-]*$") then return folder .. "/" .. path end
end

function Reader:module(path, module)
  local kind = json.is_object(module) and type(module.type) == "string" and module.type:match("([^.]*)$")
  local inner = kind and inner_folder(self.folder, module.path)
  if not inner then
    self:fail(path, "has %s among its modules; expected a type and the name of a folder", json.shown(module))
  elseif not MODULES[kind] then
    self:fail(path, "a module is of type %s; what is made: Transformer, Pooling and Normalize", json.shown(module.type))
  else
    MODULES[kind](self, inner)
  end
end

-- What a folder adds to its model: { transformer (the folder with config.json), rows (of the mapping table), width (of
-- the rows that are pooled: { path, value }, or nil) }; nil where it is none of sentence-transformers'; or false and
-- every message. given: spec fields that flags give, by name.
function sentence.read(folder, given)
  local path = folder .. "/modules.json"
  if fs.kind(path) == "nothing" then return nil end
  local modules, why = json.read_array(path)
  if not modules then return false, { why } end
  local self = setmetatable({ folder = folder, given = given, transformer = folder, rows = {}, errors = {} }, Reader)
  for _, module in ipairs(modules) do self:module(path, module) end
  if #self.errors > 0 then return false, self.errors end
  return { transformer = self.transformer, rows = self.rows, width = self.width }
end

return sentence
