-- ops/logits.lua: the linear after the last layer: one number for each token or class, as they are, or through
-- softmax or its logarithm; or a vector of length one for each row, as in models of late interaction. Tied, its weight
-- is the embedding's, which is then packed once, or where the linear multiplies narrow numbers twice: tokens' rows stay
-- floats. Rows may go through a transform before it, as in models of masked words: a dense linear of d_model, an
-- activation and a norm.
local activations = require "ops.activations"
local fmt = require "base.fmt"
local formats = require "formats"
local norm = require "ops.norm"
local types = require "schema.types"

local ACTIVATIONS = { "relu", "gelu", "gelu_tanh", "silu", "tanh" }

local MOST = 1048576 -- a row: a product so wide is planned within a second, and no vocabulary is larger
local KINDS = { "linear", "softmax", "log_softmax", "unit" }
local WHAT = { linear = "logits", softmax = "probabilities", log_softmax = "logarithms of probabilities",
  unit = "numbers of length one" }

local function check_size(spec, logits, fail)
  local size = logits.size or spec.vocab_size or 1
  if size > MOST then
    fail(("logits of %d numbers a row, by %s, are too many; at most %d"):format(size,
      logits.size and "logits.size" or "vocab_size", MOST))
  elseif logits.tied and not spec.vocab_size then
    fail("logits.tied takes the embedding's weight, but there is no vocab_size")
  elseif logits.tied and logits.size and logits.size ~= spec.vocab_size then
    fail(("logits.size (%d) is not vocab_size (%d), whose embedding logits.tied takes"):format(
      logits.size, spec.vocab_size))
  elseif not logits.size and not spec.vocab_size then
    fail("logits.size is missing, and there is no vocab_size to take in its place")
  end
end

local TRANSFORM = { "logits_dense_weight", "logits_dense_bias", "logits_norm_weight", "logits_norm_bias" }
local WEIGHTS = { "logits_weight", "logits_bias" }
for i, role in ipairs(TRANSFORM) do table.insert(WEIGHTS, i, role) end

-- The norm of a transform is as the model's own, and so is the width of its rows.
local function check_transform(spec, fail)
  if not spec.logits.transform then
    if spec.logits.transform_bias ~= nil then
      fail("logits.transform_bias is given, but there is no logits.transform")
    end
    return
  end
  if spec.norm.kind == "none" then fail('logits.transform ends with a norm, but norm.kind = "none"') end
  if spec.n_layers > 0 then activations.ask(spec, spec.logits.transform, spec.d_model) end
end

-- Whether the packed linear has rows of tokens as the table would keep them: its numbers are those of the table. If
-- dtype does not name the table, groups serve both.
local function has_rows(spec, is_narrow)
  if spec.weights_dtype == "f32" then return spec.embedding_dtype == spec.arithmetic_of.logits end
  return spec.embedding_dtype == "f32" and (not is_narrow or formats.of_weights(spec.weights_dtype).group ~= nil)
end

-- Hands the roles of the linear and its transform to add.
local function add_roles(spec, add)
  local logits = spec.logits
  if logits and logits.transform then
    add("logits_dense_weight", { spec.d_model, spec.d_model })
    if logits.transform_bias then add("logits_dense_bias", { spec.d_model }) end
    norm.sublayer_roles(spec, add, "logits")
  end
  if logits and not logits.tied then add("logits_weight", { logits.size, spec.d_model }) end
  if logits and logits.bias then add("logits_bias", { logits.size }) end
end

-- The names of these roles, and of the embedding that takes the place of one.
local function role_names(spec)
  local names = {}
  add_roles(spec, function(role) names[#names + 1] = role end)
  if spec.logits.tied then table.insert(names, #names + (spec.logits.bias and 0 or 1), "embedding") end
  return names
end

return {
  name = "logits",
  of_decoder = true,
  weights = WEIGHTS,
  looked_up = { "logits_weight" }, beside = WEIGHTS,
  fields = {
    { field = "logits.kind", flag = "--logits", check = types.choice(KINDS), default = "none",
      help = "also gives `logits`, a linear of each row of the output; `unit` divides each row by its L2 norm, " ..
        "or by 1e-12 if that is larger, as models of late interaction (ColBERT) do",
      group = "whole models", example = 'logits = { kind = "linear" }' },
    { field = "logits.size", flag = "--logits-size", check = types.count(1, MOST), default = "vocab_size",
      help = "number of logits of each row",
      group = "whole models", example = 'logits = { kind = "softmax", size = 10 }' },
    { field = "logits.tied", flag = "--logits-tied", check = types.boolean, default = "no",
      help = "whether the linear uses the weight of the embedding",
      group = "whole models", example = 'vocab_size = 100, logits = { kind = "linear", tied = true }' },
    { field = "logits.bias", flag = "--logits-bias", check = types.boolean, default = "no",
      help = "whether the linear adds a bias",
      group = "whole models", example = 'logits = { kind = "linear", bias = true }' },
    { field = "logits.scale", flag = "--logits-scale", check = types.number(1e-6, 1e6), default = "1",
      help = "factor of the logits, before softmax",
      group = "whole models", example = 'logits = { kind = "linear", scale = 0.125 }' },
    { field = "logits.softcap", flag = "--logits-softcap", check = types.number(1e-3, 1e6), default = "none",
      help = "logits become X * tanh(logits / X), before softmax",
      group = "whole models", example = 'logits = { kind = "linear", softcap = 30 }' },
    { field = "logits.transform", flag = "--logits-transform", value = "NAME", check = types.choice(ACTIVATIONS),
      default = "none",
      help = "rows go through a dense linear, an activation and a norm before the linear: " ..
        table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'logits = { kind = "linear", transform = "gelu" }' },
    { field = "logits.transform_bias", flag = "--logits-transform-bias", check = types.boolean, default = "yes",
      help = "whether the dense linear of the transform adds a bias",
      group = "whole models", example = 'logits = { kind = "linear", transform = "gelu", transform_bias = false }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.logits then return end
    local logits = spec.logits
    if not logits.kind then
      fail('logits.kind is missing, but there are other fields of logits: "linear", "softmax", "log_softmax" or "unit"')
      return
    end
    check_size(spec, logits, fail)
    check_transform(spec, fail)
    spec.runs_last = true
    if logits.softcap then activations.ask(spec, "tanh", logits.size or spec.vocab_size or 1) end
    logits.size = logits.size or spec.vocab_size or 1
    logits.tied, logits.bias = logits.tied or false, logits.bias or false
    logits.transform_bias = logits.transform_bias ~= false
    local is_narrow = spec.arithmetic_of.logits ~= "f32"
    if logits.tied and not logits.scale and has_rows(spec, is_narrow) then spec.own_token_table = false end
  end,
  last_roles = add_roles,
  products = function(spec, add)
    if not spec.logits then return end
    if spec.logits.transform then
      add({ op = "logits_dense", role = "logits", what = "rows -> the dense rows of logits", rows = "rows",
        n_in = spec.d_model, n_out = spec.d_model })
    end
    add({ op = "logits", role = "logits", what = "rows -> logits", rows = "rows", n_in = spec.d_model,
      n_out = spec.logits.size })
  end,
  packed_vocabulary = function(spec, _, add_linear)
    local logits = spec.logits
    if not logits then return end
    add_linear("logits", { weight = logits.tied and "embedding" or "logits_weight",
      bias = logits.bias and "logits_bias", factor = logits.scale })
  end,
  packed = function(spec, add, add_linear)
    if not spec.logits or not spec.logits.transform then return end
    add_linear("logits_dense", { weight = "logits_dense_weight",
      bias = spec.logits.transform_bias and "logits_dense_bias" })
    norm.sublayer_packed(spec, add, "logits")
  end,
  outputs = function(spec, add)
    if not spec.logits then return end
    add("logits", "all")
    add("last_logits", "last")
  end,
  tensors = function(spec, add)
    if not spec.logits then return end
    add({ name = "logits", shape = { "batch", "q_len", "n_logits" }, is = "output" })
    add({ name = "last_logits", shape = { "batch", "n_logits" }, is = "output" })
  end,
  last_operations = function(spec, add, words)
    if not spec.logits then return end
    local transform = spec.logits.transform
    add({ name = "logits", op = "linear", phase = "output", reads = { words.result },
      writes = { "logits", "last_logits" }, template = "logits.outputs", weights = role_names(spec),
      fused = transform and ("linear, %s, norm before it"):format(transform) or nil })
  end,
  on = function(spec) return spec.logits end,
  uses = { "logits_transform", "run_last" },
  properties = function(spec)
    local logits = spec.logits
    return { { "logits", "LOGITS_" .. logits.kind:upper() }, { "n_logits", logits.size },
      { "logits_tied", logits.tied }, { "logits_scale", logits.scale }, { "logits_softcap", logits.softcap },
      { "logits_transform", logits.transform and "ACTIVATION_" .. logits.transform:upper() } }
  end,
  sentence = function(spec)
    if not spec.logits then return nil end
    local weight = spec.logits.tied and ", by the embedding's own weight" or ""
    if spec.logits.tied and spec.own_token_table then weight = weight .. ", packed once more" end
    local transform = spec.logits.transform
    transform = transform and (" of a linear of it, %s and a norm"):format(transform) or ""
    local factor = spec.logits.scale and (", times %s"):format(fmt.double(spec.logits.scale)) or ""
    if spec.logits.softcap then factor = factor .. (", capped softly at %s"):format(fmt.double(spec.logits.softcap)) end
    return ("logits: %d %s a row%s%s%s"):format(spec.logits.size, WHAT[spec.logits.kind], transform, weight, factor)
  end,
}
