-- encode.lua: model:encode: vectors of texts, with options that sentence_transformers has for Python. Ids come from
-- text.lua; batches, and threads that take them, are the library's (batches.h).
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
  if options.truncate_dim == "all" then options.truncate_dim = model.core.facts.stack.d_embedding end
  numbers.whole("batch_size", options.batch_size, 1, numbers.MOST)
  numbers.whole("truncate_dim", options.truncate_dim, 1, model.core.facts.stack.d_embedding)
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

-- The ids of all texts, one text after the other: { lengths, ids, types, n }.
local function ids_of(model, sentences, prompt)
  local parts, lengths, tokenizer, most, n = {}, {}, model.tokenizer, model.core.facts.q_len.max, 0
  for i, given in ipairs(sentences) do
    local first, second = parts_of(given, i)
    local ok, length, ids, types = pcall(tokenizer.ids_of, tokenizer, prompt .. first, second, most)
    if not ok then error(("sentences[%d]: %s"):format(i, length), 0) end
    parts[i], lengths[i], n = { ids = ids, types = types }, length, n + length
  end
  local buffer, at, has_types = model.core.buffer, 0, false
  local all = { lengths = lengths, ids = buffer("i32", n), types = buffer("i32", n), n = n }
  for i, part in ipairs(parts) do
    for k = 0, lengths[i] - 1 do
      all.ids[at], all.types[at] = part.ids[k], part.types[k]
      has_types, at = has_types or part.types[k] ~= 0, at + 1
    end
  end
  -- The tokenizer may have types where the model has none.
  if not has_types or model.core.facts.stack.token_types == 0 then all.types = nil end
  return all
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

local function run(model, all, options, name, rows, width)
  local results = tensor.new(model.core.buffer, { rows, width }, nil, "vectors")
  model.frame:batches(all.lengths, all.ids, all.types, options.batch_size, name, results.data)
  return results
end

local function vectors_of(model, all, options)
  local whole, width, count = model.core.facts.stack.d_embedding, options.truncate_dim, #all.lengths
  local got = run(model, all, options, "embedding", count, whole)
  if width == whole and not options.normalize_embeddings then return got end
  local vectors = tensor.new(model.core.buffer, { count, width }, nil, "vectors")
  for i = 0, count - 1 do
    put_vector(vectors.data, i * width, got.data, i * whole, width, options.normalize_embeddings)
  end
  return vectors
end

-- Rows of tokens as the last layer leaves them, a tensor [tokens, d_model] for each text.
local function rows_of(model, all, options)
  local d_model, rows, at = model.core.facts.d_model, {}, 0
  local got = run(model, all, options, "output", all.n, d_model)
  for i, length in ipairs(all.lengths) do
    rows[i] = tensor.new(model.core.buffer, { length, d_model }, nil, "rows")
    put_vector(rows[i].data, 0, got.data, at, rows[i].n, false)
    at = at + rows[i].n
  end
  return rows
end

-- The one vector of a matrix.
local function alone(vectors)
  return tensor.new(function() return vectors.data end, { vectors.shape[2] }, nil, "vector")
end

-- model:encode(sentences, options). sentences: a string gives a vector [d_embedding]; an array of strings, or of pairs
-- of them, a matrix [texts, d_embedding], in order. Options: batch_size, which changes no bit; normalize_embeddings;
-- truncate_dim, the first so many numbers of each vector; prompt, which stands before each text, that of the spec where
-- none is given; output_value, "token_embeddings" for an array of the rows of each text's tokens.
return function(model, sentences, given)
  check_model(model)
  if type(sentences) ~= "string" and type(sentences) ~= "table" then
    error(("sentences is %s; expected a string, or an array of strings or of pairs of them"):format(type(sentences)), 0)
  end
  local options, is_alone = read_options(model, given), type(sentences) == "string"
  local all = ids_of(model, is_alone and { sentences } or sentences, options.prompt)
  if options.output_value == "token_embeddings" then
    local rows = rows_of(model, all, options)
    return is_alone and rows[1] or rows
  end
  local vectors = vectors_of(model, all, options)
  return is_alone and alone(vectors) or vectors
end
