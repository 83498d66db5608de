-- from_hf/tokenizer.lua: the tokenizer.json of a model folder: where it is, which special tokens it adds to a text, and
-- the ids of words.
-- Reads nothing else of it: the program does.
local fs = require "base.fs"
local json = require "import.from_hf.json"

local tokenizer = {}

-- The path of the tokenizer.json in a folder or in that of the model's config, or nil.
function tokenizer.path(folder, of_config)
  for _, path in ipairs({ folder .. "/tokenizer.json", of_config .. "/tokenizer.json" }) do
    if fs.kind(path) == "file" then return path end
  end
end

-- The text of the object or list that begins at `from`, up to its bracket; nil if it has no end.
local function object_at(content, from)
  local depth, at, is_string = 0, from, false
  while at do
    local mark = content:sub(at, at)
    if is_string then
      if mark == "\\" then at = at + 1 end
      is_string = mark ~= '"'
    else
      is_string = mark == '"'
      depth = depth + (mark:find("[{[]") and 1 or mark:find("[]}]") and -1 or 0)
      if depth == 0 then return content:sub(from, at) end
    end
    at = content:find(is_string and '["\\]' or '[]{}"[]', at + 1)
  end
end

-- The decoded post_processor; nil if there is none. Vocabularies have millions of bytes, so the rest is not decoded. In
-- a vocabulary a number follows the name.
local function post_processor(path)
  local content = fs.read(path)
  local from = content and content:match('"post_processor"%s*:%s*(){')
  return from and json.decode(object_at(content, from) or "", path)
end

-- Whether the items of a template before the text, and those after it, have a special token.
local function template_adds(items)
  local adds = { before = false, after = false }
  local place = "before"
  for _, item in ipairs(json.is_array(items) and items or {}) do
    if json.is_object(item) and item.Sequence then place = "after" end
    if json.is_object(item) and item.SpecialToken then adds[place] = true end
  end
  return adds
end

local BOTH, NONE = { before = true, after = true }, { before = false, after = false }

local ADDS = {
  BertProcessing = function() return BOTH end,
  RobertaProcessing = function() return BOTH end,
  TemplateProcessing = function(processor) return template_adds(processor.single) end,
}

-- What a processor adds: { before, after }, whether a special token is put there.
local function adds_of(processor)
  if not json.is_object(processor) then return NONE end
  if ADDS[processor.type] then return ADDS[processor.type](processor) end
  local adds = { before = false, after = false }
  for _, inner in ipairs(json.is_array(processor.processors) and processor.processors or {}) do
    local more = adds_of(inner)
    adds.before, adds.after = adds.before or more.before, adds.after or more.after
  end
  return adds
end

-- Whether the tokenizer.json at a path puts special tokens before a text and after it: { before, after }.
function tokenizer.adds(path)
  return adds_of(post_processor(path))
end

-- -- Ids of words ---------------------------------------------------------------------------------------------------

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }

-- A word as the key of a vocabulary, as a pattern.
local function pattern_of(word)
  local escaped = word:gsub('["\\]', ESCAPES):gsub("%W", "%%%0")
  return '[{,]%s*"' .. escaped .. '"%s*:%s*(%d+)'
end

-- The ids of the words that the tokenizer.json at a path has as tokens: { [word] = id }; or nil and what was expected.
-- Of a large vocabulary only these are looked for.
function tokenizer.ids(path, words)
  local content, ids = fs.read(path) or "", {}
  local from = content:match('"vocab"%s*:%s*(){')
  local vocabulary = from and object_at(content, from)
  if not vocabulary then return nil, "has no vocabulary of names; expected one: ids of tokens are looked up in it" end
  for _, word in ipairs(words) do ids[word] = tonumber(vocabulary:match(pattern_of(word))) end
  from = content:match('"added_tokens"%s*:%s*()%[')
  local added = from and json.decode(object_at(content, from) or "", path)
  for _, token in ipairs(json.is_array(added) and added or {}) do
    for _, word in ipairs(words) do
      if json.is_object(token) and token.content == word then ids[word] = token.id end
    end
  end
  return ids
end

return tokenizer
