-- blocks_test.lua: each block of whole models keeps to the contract of ops/init.lua, says what it does, and refuses
-- what contradicts it by both fields' names.
local fact = dofile("tests/generator/fact.lua")
local blocks = require "ops"
local compat = require "base.compat"
local emit = require "emit"
local fragments = require "emit.fragments"
local graph = require "plan.graph"
local fs = require "base.fs"
local spec = require "spec"
local used_templates = dofile("tests/generator/used_templates.lua")

local KEYS = { name = "string", fields = "table", weights = "table", uses = "table", looked_up = "table",
  beside = "table", of_decoder = "boolean", first_kind = "string" }
for hook in ([[resolve memory_fields sentence first_roles sublayer_roles layer_roles last_roles sublayers products
  packed_vocabulary packed sublayer_packed tensors first_operations sublayer_operations result_operations
  unjoined_operations last_operations operation sublayer ask outputs properties words on]]):gmatch("%S+") do
  KEYS[hook] = "function"
end

local NOTHING = {} -- takes a field away

local function fields_with(more)
  local raw = { kind = "encoder", d_model = 8, n_heads = 2, n_layers = 2 }
  for key, value in pairs(more or {}) do raw[key] = value end
  for key, value in pairs(raw) do
    if value == NOTHING then raw[key] = nil end
  end
  return raw
end

local function make(more)
  local s, errors = spec.from_fields(fields_with(more))
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local function refuses(more, ...)
  local s, errors = spec.from_fields(fields_with(more))
  fact.equal(s, nil)
  fact.lists_equal(errors, { ... })
end

local function role_names(s)
  local names = {}
  for i, role in ipairs(s.roles) do names[i] = role.name .. " " .. table.concat(role.shape, "x") end
  return names
end

fact.holds("a block has only what the contract lists, and every file of the folder is listed", function()
  local listed = { init = true, stages = true }
  for _, block in ipairs(blocks) do
    listed[block.name] = true
    for key, value in pairs(block) do fact.equal(type(value), KEYS[key]) end
    fact.equal(require("ops." .. block.name), block)
  end
  for _, file in ipairs(assert(fs.list("generator/ops"))) do assert(listed[file:match("^(.*)%.lua$")], file) end
end)

-- Specs in which every block is on, in every way that has weights of its own.
local function whole_specs()
  local norm = { place = "pre" }
  return {
    make({ vocab_size = 9, token_types = 2, positions = { kind = "learned" }, embedding = { scale = true, norm = true },
      norm = norm, pool = { kind = "cls" }, classifier = { labels = 3 },
      logits = { kind = "linear", tied = true, transform = "tanh" },
      ffn = { gated = true }, outputs = { "attention" } }),
    make({ norm = { place = "post", final = true }, pool = { kind = "cls" }, dense = { sizes = 3 } }),
    make({ norm = { place = "pre", skips_first = true }, pool = { kind = "cls", size = 2 } }),
    make({ norm = { place = "sandwich" }, ffn = { adapter_rank = 3 } }),
    make({ kind = "decoder", vocab_size = 9, positions = { kind = "sinusoidal" } }),
    make({ n_layers = 0, n_heads = NOTHING, sublayer = true, norm = { final = true } }),
  }
end

-- The templates of operations of those specs, each once, in order.
local function templates_of_operations()
  local seen, list = {}, {}
  for _, s in ipairs(whole_specs()) do
    for _, op in ipairs(graph.of_stack(s).operations) do
      if op.template and not seen[op.template] then
        seen[op.template], list[#list + 1] = true, op.template
      end
    end
  end
  table.sort(list)
  return list
end

fact.holds("each operation has its C in its block's file of fragments, and what is there is an operation's", function()
  local list = {}
  for _, file in ipairs(used_templates.fragments()) do
    for _, stage in ipairs(file.stages) do
      local operation = stage:match("^operation (.*)$")
      list[#list + 1] = operation and file.owner.name .. "." .. operation
    end
  end
  table.sort(list)
  fact.lists_equal(templates_of_operations(), list)
end)

fact.holds("an operation whose C is nowhere is an error that names it", function()
  fact.raises("operation up: no file of templates/ops/ has linear.column", fragments.of_operation,
    { name = "up", template = "linear.column" })
end)

fact.holds("a stack's weights are those of its parts in order, layer by layer", function()
  local s = make({ n_layers = 1, d_ff = 5, vocab_size = 7, bias = { k = false }, token_types = 2,
    positions = { kind = "learned", rows = 600 }, embedding = { norm = true }, norm = { final = true },
    ffn = { gated = true, bias = false }, logits = { kind = "linear", bias = true } })
  fact.lists_equal(role_names(s), {
    "embedding 7x8", "positions 600x8", "token_types 2x8", "embedding_norm_weight 8", "embedding_norm_bias 8",
    "layers.0.q_weight 8x8", "layers.0.q_bias 8", "layers.0.k_weight 8x8", "layers.0.v_weight 8x8",
    "layers.0.v_bias 8", "layers.0.o_weight 8x8", "layers.0.o_bias 8", "layers.0.attention_norm_weight 8",
    "layers.0.attention_norm_bias 8", "layers.0.gate_weight 5x8", "layers.0.up_weight 5x8", "layers.0.down_weight 8x5",
    "layers.0.ffn_norm_weight 8", "layers.0.ffn_norm_bias 8", "final_norm_weight 8", "final_norm_bias 8",
    "logits_weight 7x8", "logits_bias 7",
  })
end)

-- Every role of whole models in which everything is on, as a spec's `weights` names it.
fact.holds("what a spec's weights may name are the roles of its blocks", function()
  local named = {}
  for _, block in ipairs(blocks) do
    for _, name in ipairs(block.weights or {}) do named[name] = true end
  end
  for _, s in ipairs(whole_specs()) do
    for _, role in ipairs(s.roles) do
      local inner = role.name:gsub("^layers%.%d+%.", "")
      assert(named[inner] or inner:find("^[qkvo]_") or inner == "embedding", role.name)
    end
  end
end)

fact.holds("a fused feed-forward has one weight for gate and up, and none without a gate", function()
  local s, names = make({ n_layers = 1, d_ff = 5, ffn = { gated = true, fused = true } }), {}
  for _, name in ipairs(role_names(s)) do names[#names + 1] = name:match("^layers%.0%.(%l+_up.*)$") end
  fact.lists_equal(names, { "gate_up_weight 10x8", "gate_up_bias 10" })
  refuses({ ffn = { fused = true } },
    "ffn.fused is given, but without ffn.gated there is no gate whose rows come before those of up")
end)

fact.holds("a name may be as long as any, whatever its parts are called then", function()
  for _, kind in ipairs({ "encoder", "decoder", "transformer" }) do
    local s = make({ kind = kind, name = ("n"):rep(96), vocab_size = 5, seq_len = 4 })
    for _, file in ipairs(emit.outputs(s, { "avx512" })) do assert(#file.path < 143, file.path) end
    refuses({ kind = kind, name = ("n"):rep(97) },
      ('name must be small letters, digits and _, a letter first, at most 96, found "%s..."'):format(("n"):rep(64)))
  end
end)

fact.holds("a classifier has two linears with biases after the layers",
  function()
    local names = role_names(make({ pool = { kind = "mean" }, classifier = { labels = 3, activation = "gelu" } }))
    fact.lists_equal({ compat.unpack(names, #names - 3) }, { "classifier_dense_weight 8x8", "classifier_dense_bias 8",
      "classifier_weight 3x8", "classifier_bias 3" })
    for labels, scores in ipairs({ "sigmoid", "none" }) do
      fact.equal(make({ pool = { kind = "cls" }, classifier = { labels = labels } }).classifier.scores, scores)
    end
  end)

fact.holds("an RMSNorm has no bias, and tied logits no weight of their own", function()
  local names = role_names(make({ n_layers = 1, vocab_size = 7, norm = { kind = "rms", place = "pre" },
    logits = { kind = "linear", tied = true } }))
  for _, name in ipairs(names) do assert(not name:find("norm_bias") and not name:find("logits"), name) end
end)

fact.holds("the attention of a layer has the stack's features and no output projection", function()
  local s = make({ n_kv_heads = 1, rope = { layout = "half_split" }, mask = { causal = true }, bias = { q = false } })
  local attention = s.attention_spec
  fact.equal(attention.name, s.name .. "_self")
  fact.equal(attention.projects.o, false)
  fact.equal(attention.n_kv_heads, 1)
  fact.equal(attention.rope.layout, "half_split")
  fact.equal(attention.causal, "top_left")
  fact.equal(attention.bias.q, false)
  fact.equal(attention.is_part, true)
end)

fact.holds("fields of stacks are refused elsewhere, and fields of one layer in stacks", function()
  refuses({ kind = "mha" }, 'n_layers is given, but kind = "mha" is not a stack of layers; kind = "encoder" is one')
  refuses({ k_dim = 4 }, 'k_dim is given, but kind = "encoder" is a stack of layers, which does without it')
  refuses({ activation = { o = "relu" } },
    "activation names o, but with kind = \"encoder\" the output projection's result joins the residual")
end)

fact.holds("a whole model gives attention of its layers, and no other intermediate", function()
  for _, kind in ipairs({ "encoder", "decoder", "transformer" }) do
    local s = make({ kind = kind, outputs = { "attention" } })
    fact.equal(s.layer_attention, true)
    fact.equal(s.attention_output, false)
    local decoder = kind == "transformer" and s.decoder_spec or s
    fact.equal(decoder.attention_spec.attention_output, true)
    if kind ~= "encoder" then fact.equal(decoder.memory_spec.attention_output, false) end
    if kind == "transformer" then fact.equal(s.encoder_spec.attention_spec.attention_output, true) end
    fact.equal(make({ kind = kind }).layer_attention, false)
    refuses({ kind = kind, outputs = { "attention", "scores" } }, ('outputs names scores, but kind = "%s" gives ' ..
      "attention%s alone, for each of its layers: what else happens in a layer is of rows packed without padding " ..
      'and stays there; a layer alone (kind = "mha") gives it'):format(kind,
        kind == "encoder" and "" or " and cross_attention"))
  end
  refuses({ outputs = { "attention" }, cache = 600 }, "cache (600) contradicts outputs, which lists intermediates, " ..
    "whose keys are those of one call")
  refuses({ outputs = { "attention" }, layer = { attention = false } },
    "n_heads is given, but layer.attention = false leaves its layers without attention",
    "outputs is given, but layer.attention = false leaves its layers without attention")
end)

fact.holds("a decoder's attention to its memory is given where it is asked for", function()
  for _, kind in ipairs({ "decoder", "transformer" }) do
    for _, outputs in ipairs({ { "cross_attention" }, { "attention", "cross_attention" } }) do
      local s = make({ kind = kind, outputs = outputs })
      local decoder = kind == "transformer" and s.decoder_spec or s
      fact.equal(s.layer_cross_attention, true)
      fact.equal(s.layer_attention, #outputs == 2)
      fact.equal(decoder.memory_spec.attention_output, true)
      fact.equal(decoder.attention_spec.attention_output, #outputs == 2)
      local said = table.concat(spec.sentences(s), "; ")
      local over = #outputs == 2 and "its own rows and the memory" or "the memory"
      fact.equal(said:match("softmax weights of each layer over (.-) are written on request"), over)
    end
    refuses({ kind = kind, outputs = { "cross_attention" }, cache = 600 },
      "cache (600) contradicts outputs, which lists intermediates, whose keys are those of one call")
  end
  local s = make({ kind = "transformer", outputs = { "cross_attention" } })
  fact.equal(s.encoder_spec.layer_attention, false)
  fact.equal(s.encoder_spec.layer_cross_attention, false)
  refuses({ outputs = { "cross_attention" } }, 'outputs names cross_attention, but kind = "encoder" has none: its ' ..
    "layers attend to their own rows alone; a decoder or a transformer has it")
  for _, kind in ipairs({ "mha", "sdpa" }) do
    local _, errors = spec.from_fields({ kind = kind, d_model = 16, d_head = 8, n_heads = 2,
      outputs = { "cross_attention" } })
    fact.lists_equal(errors, { ('outputs names cross_attention, but kind = "%s" has none: there is one attention, ' ..
      "and the output attention gives its weights, whatever its keys"):format(kind) })
  end
end)

fact.holds("the attention of a layer is asked of it alone, and no scores are kept as they are for it", function()
  local given, plain = make({ outputs = { "attention" } }), make()
  fact.lists_equal(spec.sentences(given), (function()
    local list = spec.sentences(plain)
    list[#list + 1] = "softmax weights of each layer are written on request"
    return list
  end)())
  for _, name in ipairs({ "needs_natural_scores", "needs_unscaled_q" }) do
    fact.equal(given.attention_spec[name], plain.attention_spec[name])
  end
end)

fact.holds("a layer's attention gets the fields of features that say so, and an encoder none that are its decoder's",
  function()
    local s = make({ kind = "transformer", n_kv_heads = 1, rope = { layout = "half_split" }, cache = 600,
      pool = { kind = "mean" }, classifier = { labels = 2 }, logits = { kind = "linear", size = 5 },
      softcap = 30 })
    local given = {}
    for _, entry in ipairs(s.encoder_spec.given) do given[entry.field] = true end
    for _, field in ipairs({ "cache", "pool.kind", "classifier.labels", "logits.kind" }) do
      fact.equal(given[field], nil)
    end
    for _, field in ipairs({ "n_kv_heads", "rope.layout", "softcap" }) do fact.equal(given[field], true) end
    local attention = s.decoder_spec.attention_spec
    fact.equal(attention.cache, 600)
    fact.equal(attention.n_kv_heads, 1)
    fact.equal(attention.softcap, 30)
    fact.equal(attention.rope.layout, "half_split")
  end)

fact.holds("contradictions name both fields", function()
  refuses({ positions = { kind = "learned", rows = 100 } },
    "positions.rows (100) is less than the longest sequence (512) from row 0 (positions.first) on")
  local function padded(padding, first, more)
    local given = { positions = { kind = "learned", first = first, padding = padding } }
    for field, value in pairs(more) do given[field] = value end
    return given
  end
  refuses(padded(1, nil, { vocab_size = 9 }), 'positions.padding takes the row before ' ..
    'positions.first: give positions.kind = "learned" and positions.first, 1 or more')
  refuses(padded(9, 2, { vocab_size = 9 }), "positions.padding (9) is not a token: vocab_size is 9")
  refuses(padded(1, 2, {}), "positions.padding (1) is not a token: there is no vocab_size")
  refuses(padded(1, 2, { vocab_size = 9, kind = "transformer", n_decoder_layers = 1, src_vocab_size = 9 }),
    'positions.padding is of kind "encoder", but kind is "transformer"')
  refuses(padded(1, 2, { vocab_size = 9, cache = 600, mask = { causal = true } }),
    "positions.padding and cache cannot be given together: " ..
    "a cache does not know which of its tokens are padding")
  refuses({ d_model = 6, n_heads = 3, positions = { rows = 600 } },
    'positions.kind is missing, but there are other fields of positions: "learned" or "sinusoidal"')
  refuses({ logits = { kind = "linear", tied = true } },
    "logits.tied takes the embedding's weight, but there is no vocab_size")
  refuses({ vocab_size = 7, logits = { kind = "linear", tied = true, size = 8 } },
    "logits.size (8) is not vocab_size (7), whose embedding logits.tied takes")
  refuses({ logits = { kind = "softmax" } }, "logits.size is missing, and there is no vocab_size to take in its place")
  refuses({ pool = { kind = "cls" }, classifier = { activation = "relu" } },
    "classifier.labels is missing, but there are other fields of classifier: a whole number")
  refuses({ classifier = { labels = 2 } },
    'classifier is given, but without pool.kind there is no row of a sequence to classify: give pool.kind')
  refuses({ pool = { kind = "cls" }, classifier = { labels = 65537 } },
    "classifier.labels must be a whole number from 1 to 65536, found 65537")
  refuses({ pool = { normalize = true } },
    'pool.kind is missing beside pool.normalize: "cls", "last", "mean" or "weighted_mean"')
  refuses({ pool = { size = 4 } }, 'pool.kind is missing beside pool.size: "cls", "last", "mean" or "weighted_mean"')
end)

fact.holds("what would take seconds or megabytes to generate is refused with its limit", function()
  refuses({ n_layers = 513 }, "n_layers must be a whole number from 0 to 512, found 513")
  refuses({ vocab_size = 16777216, logits = { kind = "linear" } },
    "logits of 16777216 numbers a row, by vocab_size, are too many; at most 1048576")
  refuses({ logits = { kind = "linear", size = 1048577 } },
    "logits.size must be a whole number from 1 to 1048576, found 1048577")
end)

-- Without the heads that fields_with gives.
local function without_heads(more)
  more.n_heads = nil
  local raw = fields_with(more)
  raw.n_heads = nil
  return spec.from_fields(raw)
end

fact.holds("what stands around layers is made without any, and a feed-forward without attention", function()
  local s = assert(without_heads({ n_layers = 0, norm = { final = true } }))
  fact.equal(s.name, "encoder_8")
  fact.lists_equal(role_names(s), { "final_norm_weight 8", "final_norm_bias 8" })
  s = assert(without_heads({ n_layers = 1, d_ff = 5, layer = { attention = false, residual = false },
    norm = { kind = "none" }, weights = { up_weight = "0.weight", up_bias = "0.bias", down_weight = "2.weight",
      down_bias = "2.bias" } }))
  fact.lists_equal(role_names(s), { "layers.0.up_weight 5x8", "layers.0.up_bias 5", "layers.0.down_weight 8x5",
    "layers.0.down_bias 8" })
  fact.lists_equal(spec.sentences(s), { "1 layer of a feed-forward alone, which takes the place of its rows",
    "no norms", "feed-forward of 5, relu", "lengths per sequence: padding is neither computed nor seen" })
end)

fact.holds("a residual alone adds a sublayer's rows before the last norm, or without one", function()
  local s = assert(without_heads({ n_layers = 0, sublayer = true, norm = { kind = "rms", final = true } }))
  fact.lists_equal(role_names(s), { "final_norm_weight 8" })
  fact.lists_equal(spec.sentences(s), {
    "no layers: what is added to rows at first, and what is made of them at the end",
    "a residual: what a sublayer made is added to the rows", "RMSNorm, eps 1e-06",
    "lengths per sequence: padding is neither computed nor seen" })
  s = assert(without_heads({ n_layers = 0, sublayer = true, norm = { kind = "none" } }))
  fact.lists_equal(role_names(s), {})
  fact.equal(make().sublayer, false)
end)

fact.holds("a sublayer's rows are refused beside layers and beside an embedding", function()
  local function refused(more, ...)
    local s, errors = without_heads(more)
    fact.equal(s, nil)
    fact.lists_equal(errors, { ... })
  end
  local LAYERS = "sublayer is given, but each layer adds its own sublayers' results: it goes with n_layers = 0, found "
  refuses({ sublayer = true }, LAYERS .. 2)
  refuses({ kind = "transformer", sublayer = true }, LAYERS .. 2)
  refused({ n_layers = 1, sublayer = true, layer = { attention = false } }, LAYERS .. 1)
  local EMBEDS = " is given with sublayer, whose rows have left the embedding: give the embedding a model of its own"
  refused({ n_layers = 0, sublayer = true, vocab_size = 5, token_types = 2, positions = { kind = "sinusoidal" },
    embedding = { norm = true } }, "positions.kind" .. EMBEDS, "token_types" .. EMBEDS, "embedding.norm" .. EMBEDS,
    "vocab_size" .. EMBEDS)
  refuses({ kind = "mha", sublayer = true },
    'n_layers is given, but kind = "mha" is not a stack of layers; kind = "encoder" is one',
    'sublayer is given, but kind = "mha" is not a stack of layers; kind = "encoder" is one')
end)

fact.holds("what makes no sense alone is refused by name", function()
  local function refused(more, ...)
    local s, errors = without_heads(more)
    fact.equal(s, nil)
    fact.lists_equal(errors, { ... })
  end
  refused({ n_layers = 0 }, "n_layers = 0 leaves rows as they are: give vocab_size, positions, token_types, " ..
    "embedding, sublayer, norm.final, pool or logits as well")
  refused({ n_layers = 0, pool = { kind = "cls" }, d_ff = 9, ffn = { gated = true }, rope = { layout = "half_split" } },
    "d_ff is given, but n_layers = 0 leaves out its layers",
    "ffn.gated is given, but n_layers = 0 leaves out its layers",
    "rope.layout is given, but n_layers = 0 leaves out its layers")
  refused({ n_layers = 0, pool = { kind = "cls" }, norm = { kind = "rms" } },
    "norm.kind is given, but with n_layers = 0 there is no norm but norm.final and embedding.norm")
  refused({ n_layers = 1, layer = { attention = false }, mask = { causal = true }, cache = 600 },
    "mask.causal is given, but layer.attention = false leaves its layers without attention",
    "cache is given, but layer.attention = false leaves its layers without attention")
  refused({ kind = "decoder", n_layers = 0 },
    'n_layers = 0 is given, but every layer of kind = "decoder" attends; kind = "encoder" may go without')
  refused({ kind = "transformer", n_layers = 1, layer = { attention = false } },
    'layer.attention = false is given, but every layer of kind = "transformer" attends; ' ..
    'kind = "encoder" may go without')
  refuses({ layer = { residual = false } }, "layer.residual = false is given, but what attention gives joins a " ..
    "residual: only a feed-forward (layer.attention = false) goes without")
  refuses({ norm = { kind = "none", place = "pre" }, embedding = { norm = true } },
    'norm.place is given, but norm.kind = "none"', 'embedding.norm is given, but norm.kind = "none"')
end)

fact.holds("what is wrong with a stack and so with its attention is said once", function()
  refuses({ mask = { window = 3 } }, "mask.window (3) reaches to the left of a query only and mask.causal is off: " ..
    'set mask.causal, or mask.window_sides = "both"')
end)

fact.finish()
