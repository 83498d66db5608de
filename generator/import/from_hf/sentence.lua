-- from_hf/sentence.lua: what a folder of sentence-transformers says in addition to its model: modules.json lists what
-- follows the stack (pooling, linears, a norm), each with a config of its own. What is not made is refused. Of modules
-- without pooling, which make vectors of tokens, late_interaction.lua says what they are.
local fs = require "base.fs"
local json = require "import.from_hf.json"
local late_interaction = require "import.from_hf.late_interaction"
local pair_scores = require "import.from_hf.pair_scores"

local sentence = {}

-- Ways to pool: the field that says one until sentence-transformers 5.3, and the word for it since.
local POOLS = {
  { "pooling_mode_cls_token", "cls" }, { "pooling_mode_max_tokens", "max" }, { "pooling_mode_mean_tokens", "mean" },
  { "pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens" },
  { "pooling_mode_weightedmean_tokens", "weightedmean" }, { "pooling_mode_lasttoken", "lasttoken" },
}
-- The pool.kind of each way that genattn makes.
local MADE = { cls = "cls", mean = "mean", lasttoken = "last", weightedmean = "weighted_mean" }

local NO_SUCH_POOL = "pooling_mode is %s; expected one of cls, lasttoken, mean and weightedmean alone: no other " ..
  "pool is made; --pool mean takes the mean in its place, which gives other vectors"

local MODULES = {}

function MODULES.Transformer(self, folder)
  self.transformer = folder
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
  self:add(path, "pooling_mode", #modes == 1 and modes[1] or config.pooling_mode, "pool.kind", is_made or nil)
  self.pooling = { path = path, config = config }
  local width = config.embedding_dimension ~= nil and "embedding_dimension" or "word_embedding_dimension"
  self.width = { path = path, field = width, value = config[width] }
end

-- Refuses a module that reads or writes anything but the pooled row.
local function check_names(self, path, config, why)
  for _, name in ipairs({ "module_input_name", "module_output_name" }) do
    if config[name] ~= nil and config[name] ~= json.null and config[name] ~= "sentence_embedding" then
      self:refuse(path, name, config[name], '"sentence_embedding"', why)
    end
  end
end

-- Classes of PyTorch as dense.activation.
local ACTIVATIONS = { Identity = "none", Tanh = "tanh", ReLU = "relu", GELU = "gelu" }
local NO_SUCH_ACTIVATION = "activation_function is %s; expected Identity, Tanh, ReLU or GELU of torch.nn: no other " ..
  "activation is made"
local NO_DENSE = "no model.safetensors, which has the weights of this linear; save_pretrained of " ..
  "sentence_transformers writes it; other formats are never read"

-- A linear after pooling. Its tensors are found by the name of its folder, which has its place among the modules.
function MODULES.Dense(self, folder)
  local path, place = folder .. "/config.json", ("%d_Dense"):format(#self.kinds - 1)
  local config = self:read(path)
  if not config then return end
  if folder ~= self.path .. "/" .. place then
    self:fail(self.path .. "/modules.json", "the path of a Dense is %s; expected %s", folder:sub(#self.path + 2), place)
  end
  if fs.kind(folder .. "/model.safetensors") == "nothing" and fs.kind(folder .. "/pytorch_model.bin") == "file" then
    self:fail(folder, NO_DENSE)
  end
  local class = config.activation_function == nil and "Tanh" or tostring(config.activation_function):match("([^.]*)$")
  local dense, activation = self.dense, ACTIVATIONS[class]
  if not self.pooling then return late_interaction.dense(self, path, config, activation) end
  check_names(self, path, config, "the pooled row is multiplied")
  if not activation then self:fail(path, NO_SUCH_ACTIVATION, json.shown(config.activation_function)) end
  local expected = dense.sizes[#dense.sizes] or self.width and self.width.value
  if expected and config.in_features ~= expected then
    self:fail(path, "in_features is %s; expected %s, as wide as what it reads", json.shown(config.in_features),
      json.shown(expected))
  end
  dense.sizes[#dense.sizes + 1] = config.out_features
  dense.activation[#dense.sizes], dense.bias[#dense.sizes] = activation, config.bias ~= false
end

-- Adds what all linears after pooling are, in the order of the modules.
local function add_dense(self)
  for _, name in ipairs({ "sizes", "activation", "bias" }) do
    local list = self.dense[name]
    if #list > 0 then self:add(self.path .. "/modules.json", "Dense", nil, "dense." .. name, list) end
  end
end

function MODULES.Normalize(self, folder)
  local path = folder .. "/config.json"
  local config = folder ~= self.path and self:read(path, true) or {}
  if self.vectors then return late_interaction.normalize(self, path, config) end
  check_names(self, path, config, "the pooled row is normalized")
  self:add(self.path .. "/modules.json", "Normalize", nil, "pool.normalize", true)
end

MODULES.MultiVectorMask, MODULES.LogitScore = late_interaction.mask, pair_scores.module

-- A folder inside the model's: a plain name, or the model's own.
local function inner_folder(folder, path)
  if path == "" or path == nil then return folder end
  if type(path) == "string" and path:find("^[%w_][%w_-]*$") then return folder .. "/" .. path end
end

local function add_module(self, path, module)
  local kind = json.is_object(module) and type(module.type) == "string" and module.type:match("([^.]*)$")
  local inner = kind and inner_folder(self.path, module.path)
  if not inner then
    self:fail(path, "has %s among its modules; expected a type and the name of a folder", json.shown(module))
  elseif not MODULES[kind] or not module.type:find("^sentence_transformers%.") and
    module.type ~= "pylate.models.Dense.Dense" then
    self:fail(path, "a module is of type %s; what is made: Transformer, Pooling, Dense, Normalize, " ..
      "MultiVectorMask and LogitScore of sentence_transformers", json.shown(module.type))
  else
    self.kinds[#self.kinds + 1] = kind
    MODULES[kind](self, inner)
  end
end

-- What comes after the stack, without linears after pooling: what is pooled comes first, and what is multiplied or
-- normalized is pooled; or rows of tokens are multiplied, then chosen and normalized.
local ORDERS = {
  ["Transformer"] = true, ["Transformer, Pooling"] = true, ["Transformer, Pooling, Normalize"] = true,
  ["Transformer, Dense"] = true, ["Transformer, Dense, Normalize"] = true,
  ["Transformer, Dense, MultiVectorMask"] = true, ["Transformer, Dense, MultiVectorMask, Normalize"] = true,
  ["Transformer, Dense, Normalize, MultiVectorMask"] = true, ["Transformer, LogitScore"] = true,
}

local function check_order(self, path)
  local kinds = table.concat(self.kinds, ", ")
  local after = kinds:match("^Transformer, Pooling(.*)$")
  while after and after:find("^, Dense") do after = after:sub(#", Dense" + 1) end
  local order = after and "Transformer, Pooling" .. after or kinds
  if #self.errors == 0 and not ORDERS[order] then
    self:fail(path, "its modules are %s; expected Transformer; or Transformer, Pooling, any number of Dense, and " ..
      "Normalize or not; or Transformer, Dense, MultiVectorMask or not, and Normalize; or Transformer, LogitScore",
      kinds == "" and "none" or kinds)
  end
end

-- Adds to a folder's rows what modules.json says: { transformer (the folder with config.json), width (of the rows that
-- are pooled: { path, field, value }, or nil), pooling ({ path, config }, or nil), vectors (of tokens: { path, size,
-- is_unit }, or nil), unscored (which of them do not count: { path, words }, or nil), answers (tokens whose logits are
-- a score: { path, ids }, or nil), size (of a row after linears, or nil) }; nil where there is none.
function sentence.read(self)
  local path = self.path .. "/modules.json"
  if fs.kind(path) == "nothing" then return nil end
  local modules, why = json.read_array(path)
  if not modules then self.errors[#self.errors + 1] = why end
  self.transformer, self.kinds, self.dense = self.path, {}, { sizes = {}, activation = {}, bias = {} }
  for _, module in ipairs(modules or {}) do add_module(self, path, module) end
  check_order(self, path)
  add_dense(self)
  return { transformer = self.transformer, width = self.width, pooling = self.pooling, vectors = self.vectors,
    unscored = self.unscored, answers = self.answers,
    size = self.dense.sizes[#self.dense.sizes] }
end

return sentence
