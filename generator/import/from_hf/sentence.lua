-- from_hf/sentence.lua: what a folder of sentence-transformers says beside its model: modules.json lists what follows
-- the stack (pooling, a norm), each with a config of its own, and how long a text may be. What is not made is refused.
local fs = require "base.fs"
local json = require "import.from_hf.json"

local sentence = {}

-- Ways to pool: the field that says one until sentence-transformers 5.3, and the word for it since.
local POOLS = {
  { "pooling_mode_cls_token", "cls" }, { "pooling_mode_max_tokens", "max" }, { "pooling_mode_mean_tokens", "mean" },
  { "pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens" },
  { "pooling_mode_weightedmean_tokens", "weightedmean" }, { "pooling_mode_lasttoken", "lasttoken" },
}
local MADE = { cls = true, mean = true }

local NO_SUCH_POOL = "pooling_mode is %s; expected cls or mean alone: no other pool is made; --pool mean or --pool " ..
  "cls takes one in its place, which gives other vectors"

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

-- The ways to pool that a config says: a word or a list of words, as sentence-transformers 5.4 and later save it, or
-- all that are true, as before; nothing said is mean.
local function modes_of(config)
  local said = config.pooling_mode
  if said ~= nil then return json.is_array(said) and said or { said } end
  local modes = {}
  for _, pool in ipairs(POOLS) do
    if config[pool[1]] == true then modes[#modes + 1] = pool[2] end
  end
  return #modes > 0 and modes or { "mean" }
end

local function all_shown(modes)
  local shown = {}
  for i, mode in ipairs(modes) do shown[i] = json.shown(mode) end
  return table.concat(shown, ", ")
end

function MODULES.Pooling(self, folder)
  local path = folder .. "/config.json"
  local config = self:read(path)
  if not config then return end
  local modes, is_given = modes_of(config), self.given["pool.kind"] ~= nil
  local is_made = #modes == 1 and MADE[modes[1]]
  if not is_made and not is_given then self:fail(path, NO_SUCH_POOL, all_shown(modes)) end
  self:add(path, "pooling_mode", #modes == 1 and modes[1] or config.pooling_mode, "pool.kind", is_made and modes[1])
  local width = config.embedding_dimension ~= nil and "embedding_dimension" or "word_embedding_dimension"
  self.width = { path = path, field = width, value = config[width] }
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
