-- encode.lua: model:encode: vectors of texts, with options that sentence_transformers has for Python. Batches are made
-- here; ids come from text.lua, rows from the call.
local numbers = require "genattn.numbers"
local tensor = require "genattn.tensor"

local DEFAULTS = { batch_size = 32, normalize_embeddings = false, output_value = "sentence_embedding", prompt = false,
  truncate_dim = "all" }
local KINDS = { sentence_embedding = true, token_embeddings = true }
local SMALLEST_NORM = 1e-12

-- -- What is given --------------------------------------------------------------------------------------------------

local function check_model(model)
  local facts = model.core.facts
  if facts.kind ~= model.core.value("GA_ENCODER") or not model.shapes.outputs.embedding then
    error(('%s gives no vector of a sequence; its spec would say pool = { kind = "mean" }'):format(model.name), 0)
  end
  if facts.cache > 0 then
    error(("%s has a cache, which calls that encode do without; leave cache out of the spec"):format(model.name), 0)
  end
end

-- The options with what they lack.
local function read_options(model, given)
  local options = {}
  for name, value in pairs(DEFAULTS) do options[name] = value end
  for name, value in pairs(given or {}) do
    if DEFAULTS[name] == nil then
      error(("there is no option %s; expected batch_size, normalize_embeddings, output_value, prompt or truncate_dim")
        :format(tostring(name)), 0)
    end
    options[name] = value
  end
  if options.truncate_dim == "all" then options.truncate_dim = model.core.facts.d_model end
  numbers.whole("batch_size", options.batch_size, 1, math.huge)
  numbers.whole("truncate_dim", options.truncate_dim, 1, model.core.facts.d_model)
  if not KINDS[options.output_value] then
    error(("output_value is %s; expected sentence_embedding or token_embeddings"):format(
      tostring(options.output_value)), 0)
  end
  if options.prompt == false then options.prompt = model.tokenizer.prompt end
  if type(options.prompt) ~= "string" then
    error(("prompt is %s; expected a string"):format(type(options.prompt)), 0)
  end
  return options
end

-- A text and what comes after it, nil where it is no pair.
local function parts_of(given, i)
  if type(given) == "string" then return given end
  if type(given) == "table" and #given == 2 and type(given[1]) == "string" and type(given[2]) == "string" then
    return given[1], given[2]
  end
  error(("sentences[%d] is %s; expected a string, or two of them as a pair"):format(i, type(given)), 0)
end

-- The ids of each text: { n, ids, types }.
local function ids_of(model, sentences, prompt)
  local list, tokenizer, most = {}, model.tokenizer, model.core.facts.q_len.max
  for i, given in ipairs(sentences) do
    local first, second = parts_of(given, i)
    local ok, n, ids, types = pcall(tokenizer.ids_of, tokenizer, prompt .. first, second, most)
    if not ok then error(("sentences[%d]: %s"):format(i, n), 0) end
    list[i] = { n = n, ids = ids, types = types, place = i }
  end
  return list
end

-- -- Batches --------------------------------------------------------------------------------------------------------

-- The texts, the longest first, by batches; where the model takes no lengths those of one length.
local function batches_of(model, list, size)
  local facts, order, batches = model.core.facts, {}, {}
  for i, one in ipairs(list) do order[i] = one end
  table.sort(order, function(a, b)
    if a.n ~= b.n then return a.n > b.n end
    return a.place < b.place
  end)
  if facts.batch > 0 then size = facts.batch end
  for _, one in ipairs(order) do
    local batch = batches[#batches]
    if not batch or #batch == size or not facts.lengths and batch[1].n ~= one.n then
      batch = {}
      batches[#batches + 1] = batch
    end
    batch[#batch + 1] = one
  end
  return batches
end

-- The arguments of the call for a batch; zeros where there are no tokens.
local function arguments_of(model, batch)
  local facts, buffer, has_types = model.core.facts, model.core.buffer, false
  local takes_types = facts.stack.token_types > 0 -- the tokenizer may have types where the model has none
  local n, q_len = facts.batch > 0 and facts.batch or #batch, math.max(batch[1].n, facts.q_len.min)
  if not facts.lengths and batch[1].n < q_len then
    error(("%s: sentences[%d] has %d tokens; expected at least %d, as the model takes no lengths"):format(model.name,
      batch[1].place, batch[1].n, q_len), 0)
  end
  local tokens = tensor.new(buffer, { n, q_len }, nil, "tokens", "i32")
  local types = tensor.new(buffer, { n, q_len }, nil, "token_types", "i32")
  local lengths = tensor.new(buffer, { n }, nil, "q_lengths", "i32")
  for row, one in ipairs(batch) do
    local from = (row - 1) * q_len
    lengths[row] = one.n
    for i = 0, one.n - 1 do
      tokens.data[from + i], types.data[from + i] = one.ids[i], one.types[i]
      has_types = has_types or takes_types and one.types[i] ~= 0
    end
  end
  return { tokens = tokens, q_lengths = facts.lengths and lengths or nil, token_types = has_types and types or nil }
end

-- -- Results --------------------------------------------------------------------------------------------------------

-- Copies the first `width` numbers of a vector; of length 1 where asked: sums in double precision, in order, as
-- Python's encode has them.
local function put_vector(to, to_at, from, from_at, width, is_unit)
  local divisor, sum = 1, 0
  if is_unit then
    for i = 0, width - 1 do sum = sum + from[from_at + i] * from[from_at + i] end
    divisor = math.max(math.sqrt(sum), SMALLEST_NORM)
  end
  for i = 0, width - 1 do to[to_at + i] = from[from_at + i] / divisor end
end

local function vectors_of(model, batches, count, options)
  local d_model, width = model.core.facts.d_model, options.truncate_dim
  local vectors = tensor.new(model.core.buffer, { count, width }, nil, "vectors")
  for _, batch in ipairs(batches) do
    local given = arguments_of(model, batch)
    given.outputs = "embedding"
    local got = model(given)
    for row, one in ipairs(batch) do
      put_vector(vectors.data, (one.place - 1) * width, got.data, (row - 1) * d_model, width,
        options.normalize_embeddings)
    end
  end
  return vectors
end

-- Rows of tokens as the last layer leaves them, a tensor [tokens, d_model] for each text.
local function rows_of(model, batches)
  local d_model, rows = model.core.facts.d_model, {}
  for _, batch in ipairs(batches) do
    local given = arguments_of(model, batch)
    given.outputs = "output"
    local got = model(given)
    local q_len = got.shape[2]
    for row, one in ipairs(batch) do
      local x = tensor.new(model.core.buffer, { one.n, d_model }, nil, "rows")
      put_vector(x.data, 0, got.data, (row - 1) * q_len * d_model, x.n, false)
      rows[one.place] = x
    end
  end
  return rows
end

-- The one vector of a matrix.
local function alone(vectors)
  return tensor.new(function() return vectors.data end, { vectors.shape[2] }, nil, "vector")
end

-- model:encode(sentences, options). sentences: a string gives a vector [d_model]; an array of strings, or of pairs of
-- them, a matrix [texts, d_model], in order. Options: batch_size, which changes no bit; normalize_embeddings;
-- truncate_dim, the first so many numbers of each vector; prompt, which stands before each text, that of the spec where
-- none is given; output_value, "token_embeddings" for an array of the rows of each text's tokens.
return function(model, sentences, given)
  check_model(model)
  if type(sentences) ~= "string" and type(sentences) ~= "table" then
    error(("sentences is %s; expected a string, or an array of strings or of pairs of them"):format(type(sentences)), 0)
  end
  local options, is_alone = read_options(model, given), type(sentences) == "string"
  local list = ids_of(model, is_alone and { sentences } or sentences, options.prompt)
  local batches = batches_of(model, list, options.batch_size)
  if options.output_value == "token_embeddings" then
    local rows = rows_of(model, batches)
    return is_alone and rows[1] or rows
  end
  local vectors = vectors_of(model, batches, #list, options)
  return is_alone and alone(vectors) or vectors
end
