-- schema/dtypes.lua: the field dtype: a word for all products, or a table with a word for each of them. Says how it may
-- be written; which products a model has is not known here.
local formats = require "formats"
local text = require "base.text"
local types = require "schema.types"

local dtypes = {}

-- Linears of layers, each of which may have a dtype of its own; up: the first one of a feed-forward, gate included.
dtypes.LINEARS = { "q", "k", "v", "o", "up", "down" }
-- Those after the last layer: the linear of logits, and both of a classifier.
dtypes.LAST = { "logits", "classifier" }
-- The tables of token rows, learned positions and token types. It follows no default: a table that does not name it
-- keeps floats.
dtypes.TABLE = "embedding"

local EXAMPLE = '{ default = "int8", down = "i16" }'
local MOST_SAID = 5 -- problems of one table

local SYNTAX = "must be a dtype, and after it NAME=DTYPE for those that have another, each once, found %s"

local one = types.choice(formats.products())

-- In place of one for all: each of them, among which a call chooses.
dtypes.ANY = "any"
local words = { dtypes.ANY }
for i, name in ipairs(formats.products()) do table.insert(words, i, name) end
local whole = types.choice(words)

-- The keys of a table, and the check of each.
local KEYS, CHECKS = { "default" }, { default = whole }
local function add_keys(names, check)
  for _, name in ipairs(names) do KEYS[#KEYS + 1], CHECKS[name] = name, check end
end
add_keys(dtypes.LINEARS, one)
add_keys({ "attention" }, types.choice(formats.attending()))
add_keys(dtypes.LAST, one)
add_keys({ dtypes.TABLE }, types.choice(formats.rows()))

local function unknown(key)
  if key == "gate" then return 'has no field gate: gate and up are one product, so give "up"' end
  return ("has only the fields %s, found %s"):format(text.join(KEYS), types.shown(key))
end

-- Whether a call chooses the dtype of each linear.
function dtypes.chooses(value)
  return value == dtypes.ANY or type(value) == "table" and value.default == dtypes.ANY
end

-- The linears, each of which a call may choose for.
local IS_LINEAR = {}
for _, names in ipairs({ dtypes.LINEARS, dtypes.LAST }) do
  for _, name in ipairs(names) do IS_LINEAR[name] = true end
end

-- What is wrong with a key of a table in which a call chooses, which is right by itself; nil for nothing.
local function chosen_twice(value, key)
  return dtypes.chooses(value) and IS_LINEAR[key] and
    ('field %s contradicts default = "any", with which a call chooses for each linear'):format(key) or nil
end

local function check_table(value)
  local known, problems = {}, {}
  for key, word in pairs(value) do
    local check = CHECKS[key]
    local ok, why = true, nil
    if check then ok, why = check(word) end
    if not check then
      problems[#problems + 1] = unknown(key)
    elseif not ok then
      problems[#problems + 1] = ("field %s %s"):format(key, why)
    else
      problems[#problems + 1] = chosen_twice(value, key)
    end
    known[key] = word
  end
  table.sort(problems)
  if #problems > 0 then return nil, table.concat(text.first(problems, MOST_SAID), "; ") end
  return known
end

dtypes.check = types.described(('%s; or a table such as `%s`'):format(types.words(whole), EXAMPLE), function(value)
  if type(value) == "table" then return check_table(value) end
  return whole(value)
end)
dtypes.WORDS = words

-- What a command line says: one word, or like int8,down=i16,logits=bf16.
function dtypes.parse(word)
  if not word:find("[,=]") then return word end
  local value = {}
  for part in (word .. ","):gmatch("([^,]*),") do
    local key, name = part:match("^([%w_]+)=([%w_]+)$")
    key, name = key or "default", name or part:match("^[%w_]+$")
    if not name or value[key] then return nil, SYNTAX:format(types.shown(word)) end
    value[key] = name
  end
  return value
end

return dtypes
