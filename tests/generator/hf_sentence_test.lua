-- hf_sentence_test.lua: --from-hf: modules after a sentence encoder's stack become fields of its spec, and others are
-- refused by name. What a config.json becomes is in hf_test.lua, what is said of texts in hf_texts_test.lua.
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"

local fact, read, config, refuses = hf.fact, hf.read, hf.config, hf.refuses

if not json.available() then fact.finish() end

-- A folder of sentence-transformers: its modules by type, and the pooling's config.
local function encoder(modules, pooling, longest)
  local files, list = config(hf.BERT), {}
  local places = { Transformer = "", Pooling = "1_Pooling", Normalize = "2_Normalize", Dense = "2_Dense" }
  for i, kind in ipairs(modules) do
    list[i] = ('{"path": "%s", "type": "sentence_transformers.models.%s"}'):format(places[kind], kind)
  end
  files["modules.json"] = "[" .. table.concat(list, ", ") .. "]"
  files["1_Pooling/config.json"] = pooling
  files["sentence_bert_config.json"] = longest and '{"max_seq_length": ' .. longest .. "}"
  return files
end

local MEAN = '{"word_embedding_dimension": 8, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}'

fact.holds("a sentence encoder pools as its folder says, over texts as long as it says", function()
  local s = assert(read(encoder({ "Transformer", "Pooling", "Normalize" }, MEAN, 16))).spec
  fact.equal(s.pool.kind, "mean")
  fact.equal(s.pool.normalize, true)
  fact.equal(s.seq_len.max, 16)
  s = assert(read(encoder({ "Transformer", "Pooling" }, '{"pooling_mode_cls_token": true}', 512))).spec
  fact.equal(s.pool.kind, "cls")
  fact.equal(s.pool.normalize, false)
  fact.equal(s.seq_len.max, 20)
  s = assert(read(encoder({ "Transformer", "Pooling" }, MEAN), { ["pool.kind"] = "cls", seq_len = 4 })).spec
  fact.equal(s.pool.kind, "cls")
  fact.equal(s.seq_len.max, 4)
end)

fact.holds("--pool wins over a folder that pools in a way that is not made", function()
  for _, pooling in ipairs({ '{"pooling_mode_mean_sqrt_len_tokens": true}', '{"pooling_mode_max_tokens": true}',
    '{"pooling_mode": "max"}', '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}' }) do
    local result = assert(read(encoder({ "Transformer", "Pooling", "Normalize" }, pooling), { ["pool.kind"] = "mean" }))
    fact.equal(result.spec.pool.kind, "mean")
    fact.equal(result.spec.pool.normalize, true)
    fact.contains(table.concat(result.lines, "\n"), 'pool.kind = "mean"  (as asked for)')
  end
end)

fact.holds("a pool is a word or a list of one, as sentence-transformers saves it from 5.4 on; none is mean", function()
  for pooling, kind in pairs({ ['"mean"'] = "mean", ['"cls"'] = "cls", ['["mean"]'] = "mean",
    ['"lasttoken"'] = "last", ['"weightedmean"'] = "weighted_mean" }) do
    local files = encoder({ "Transformer", "Pooling" }, '{"embedding_dimension": 8, "include_prompt": true, ' ..
      '"pooling_mode": ' .. pooling .. "}")
    fact.equal(assert(read(files)).spec.pool.kind, kind)
  end
  fact.equal(assert(read(encoder({ "Transformer", "Pooling" }, "{}"))).spec.pool.kind, "mean")
  for said, kind in pairs({ lasttoken = "last", weightedmean_tokens = "weighted_mean" }) do
    local pooling = ('{"pooling_mode_mean_tokens": false, "pooling_mode_%s": true}'):format(said)
    fact.equal(assert(read(encoder({ "Transformer", "Pooling" }, pooling))).spec.pool.kind, kind)
  end
end)

-- -- Linears after pooling -------------------------------------------------------------------------------------------

-- A folder with two linears after pooling and a norm; the configs of the linears.
local function with_dense(first, second)
  local files = encoder({ "Transformer", "Pooling" }, MEAN)
  local list, module = {}, '{"path": "%s", "type": "sentence_transformers.models.%s"}'
  for i, row in ipairs({ { "", "Transformer" }, { "1_Pooling", "Pooling" }, { "2_Dense", "Dense" },
    { "3_Dense", "Dense" }, { "4_Normalize", "Normalize" } }) do
    list[i] = module:format(row[1], row[2])
  end
  files["modules.json"] = "[" .. table.concat(list, ", ") .. "]"
  files["2_Dense/config.json"], files["3_Dense/config.json"] = first, second
  return files
end

local WIDE = '{"in_features": 8, "out_features": 12, "bias": false, "activation_function": ' ..
  '"torch.nn.modules.linear.Identity"}'
local NARROW = '{"in_features": 12, "out_features": 5, "bias": true, "activation_function": ' ..
  '"torch.nn.modules.activation.Tanh"}'

fact.holds("linears after pooling are read in their order", function()
  local result = assert(read(with_dense(WIDE, NARROW)))
  fact.contains(result.text, 'dense = { sizes = { 12, 5 }, activation = { "none", "tanh" }, bias = { false, true } }')
  fact.contains(result.text, 'pool = { kind = "mean", normalize = true }')
  fact.equal(result.spec.d_embedding, 5)
end)

fact.holds("a linear after pooling that does not fit is refused by its file", function()
  refuses(with_dense(WIDE, (NARROW:gsub("12", "13"))),
    { "/3_Dense/config.json: in_features is 13; expected 12, as wide as what it reads" })
  refuses(with_dense((WIDE:gsub("Identity", "Mish")), NARROW), { "/2_Dense/config.json: activation_function is " ..
    '"torch.nn.modules.linear.Mish"; expected Identity, Tanh, ReLU or GELU of torch.nn: no other activation is made' })
  refuses(with_dense((WIDE:gsub("{", '{"module_input_name": "token_embeddings", ', 1)), NARROW),
    { '/2_Dense/config.json: module_input_name is "token_embeddings"; expected "sentence_embedding": the pooled row ' ..
      "is multiplied" })
  local files = with_dense(WIDE, NARROW)
  files["2_Dense/pytorch_model.bin"] = "x"
  refuses(files, { "/2_Dense: no model.safetensors, which has the weights of this linear; save_pretrained of " ..
    "sentence_transformers writes it; other formats are never read" })
  files = with_dense(WIDE, NARROW)
  files["modules.json"] = files["modules.json"]:gsub("2_Dense", "dense")
  files["dense/config.json"] = WIDE
  refuses(files, { "/modules.json: the path of a Dense is dense; expected 2_Dense" })
end)

-- -- What is refused -------------------------------------------------------------------------------------------------

local NO_SUCH_POOL = "expected one of cls, lasttoken, mean and weightedmean alone: no other pool is made; --pool " ..
  "mean takes the mean in its place, which gives other vectors"

fact.holds("another pool or module of a sentence encoder is refused", function()
  local conv = encoder({ "Transformer", "Pooling" }, MEAN)
  conv["modules.json"] = conv["modules.json"]:gsub("models.Pooling", "models.CNN")
  refuses(conv, { '/modules.json: a module is of type "sentence_transformers.models.CNN"; what is made: ' ..
    "Transformer, Pooling, Dense, Normalize, MultiVectorMask and LogitScore of sentence_transformers" })
  refuses(encoder({ "Transformer", "Normalize" }), { "/modules.json: its modules are Transformer, Normalize; " ..
    "expected Transformer; or Transformer, Pooling, any number of Dense, and Normalize or not; or Transformer, " ..
    "Dense, MultiVectorMask or not, and Normalize; or Transformer, LogitScore" })
  refuses(encoder({ "Transformer", "Pooling" }, '{"pooling_mode_max_tokens": true}'),
    { '/1_Pooling/config.json: pooling_mode is "max"; ' .. NO_SUCH_POOL })
  refuses(encoder({ "Transformer", "Pooling" }, '{"embedding_dimension": 8, "pooling_mode": "mean_sqrt_len_tokens"}'),
    { '/1_Pooling/config.json: pooling_mode is "mean_sqrt_len_tokens"; ' .. NO_SUCH_POOL })
  refuses(encoder({ "Transformer", "Pooling" }, '{"embedding_dimension": 8, "pooling_mode": ["cls", "mean"]}'),
    { '/1_Pooling/config.json: pooling_mode is "cls", "mean"; ' .. NO_SUCH_POOL })
  refuses(encoder({ "Transformer", "Pooling" }, '{"embedding_dimension": 9, "pooling_mode": "mean"}'),
    { "/1_Pooling/config.json: embedding_dimension is 9; expected 8, as wide as the model" })
  refuses(encoder({ "Transformer", "Pooling" }, '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}'),
    { '/1_Pooling/config.json: pooling_mode is "cls", "mean"; ' .. NO_SUCH_POOL })
  refuses(encoder({ "Transformer", "Pooling" }, (MEAN:gsub("8", "9"))),
    { "/1_Pooling/config.json: word_embedding_dimension is 9; expected 8, as wide as the model" })
  refuses(encoder({ "Transformer" }, nil, "0"),
    { "/sentence_bert_config.json: max_seq_length is 0; expected a whole number from 1" })
  local files = config(hf.BERT)
  files["modules.json"] = '[{"path": "../x", "type": "a.Transformer"}]'
  refuses(files, { "/modules.json: has an object among its modules; expected a type and the name of a folder" })
  files["modules.json"] = "{}"
  refuses(files, { "/modules.json: found an object; expected a list" })
end)

fact.finish()
