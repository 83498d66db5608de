-- ops/classifier.lua: a classification head on the pooled row of each sequence: a dense linear of d_model, an
-- activation, a norm if it has one, and a linear with one number for each label. A call gives these numbers; what
-- scores are made of them is only said, for the program.
local norm = require "ops.norm"
local pooling = require "ops.pooling"
local types = require "schema.types"

local ACTIVATIONS = { "tanh", "relu", "gelu" }
local SCORES = { "sigmoid", "softmax", "none" }
local MOST = 65536

local WEIGHTS = { "classifier_dense_weight", "classifier_dense_bias", "classifier_norm_weight", "classifier_norm_bias",
  "classifier_weight", "classifier_bias" }

-- Hands the roles of the head to add.
local function add_roles(spec, add)
  local classifier = spec.classifier
  if not classifier then return end
  add("classifier_dense_weight", { spec.d_model, spec.d_model })
  if classifier.dense_bias then add("classifier_dense_bias", { spec.d_model }) end
  if classifier.norm then norm.sublayer_roles(spec, add, "classifier") end
  add("classifier_weight", { classifier.labels, spec.d_model })
  add("classifier_bias", { classifier.labels })
end

local function role_names(spec)
  local names = {}
  add_roles(spec, function(role) names[#names + 1] = role end)
  return names
end

-- The norm is as the model's own.
local function check_norm(spec, fail)
  if spec.norm.kind == "none" or spec.n_layers == 0 then
    fail("classifier.norm is as the norms of the layers, but there are none")
  end
end

return {
  name = "classifier",
  of_decoder = true,
  weights = WEIGHTS,
  beside = WEIGHTS,
  fields = {
    { field = "classifier.labels", flag = "--classifier-labels", check = types.count(1, MOST), default = "none",
      help = "also gives `class_logits`, N numbers for each sequence: a linear of activation(dense(embedding))",
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2 }' },
    { field = "classifier.activation", flag = "--classifier-activation", value = "NAME",
      check = types.choice(ACTIVATIONS), default = "tanh",
      help = "activation after the dense linear of the classifier: " .. table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2, activation = "relu" }' },
    { field = "classifier.dense_bias", flag = "--classifier-dense-bias", check = types.boolean, default = "yes",
      help = "whether the dense linear of the classifier adds a bias",
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2, dense_bias = false }' },
    { field = "classifier.norm", flag = "--classifier-norm", check = types.boolean, default = "no",
      help = "a norm after the activation of the classifier, as in ModernBERT",
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2, norm = true }' },
    { field = "classifier.scores", flag = "--classifier-scores", check = types.choice(SCORES),
      default = "sigmoid of one label, else none",
      help = "how the command `rank` turns class_logits into scores; a call gives class_logits themselves",
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 1, scores = "none" }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.classifier then return end
    if not spec.classifier.labels then
      fail("classifier.labels is missing, but there are other fields of classifier: a whole number")
    elseif not spec.pool then
      fail('classifier is given, but without pool.kind there is no row of a sequence to classify: give pool.kind')
    end
    spec.runs_last = true
    if spec.classifier.norm then check_norm(spec, fail) end
    spec.classifier.activation = spec.classifier.activation or "tanh"
    spec.classifier.dense_bias = spec.classifier.dense_bias ~= false
    spec.classifier.scores = spec.classifier.scores or spec.classifier.labels == 1 and "sigmoid" or "none"
  end,
  last_roles = add_roles,
  products = function(spec, add)
    if not spec.classifier then return end
    add({ op = "classifier_dense", role = "classifier", what = "pooled rows -> the classifier's dense rows",
      rows = "batch", n_in = spec.d_model, n_out = spec.d_model })
    add({ op = "classifier", role = "classifier", what = "dense rows -> class_logits", rows = "batch",
      n_in = spec.d_model, n_out = spec.classifier.labels })
  end,
  packed = function(spec, add, add_linear)
    if not spec.classifier then return end
    add_linear("classifier_dense", { weight = "classifier_dense_weight",
      bias = spec.classifier.dense_bias and "classifier_dense_bias" })
    if spec.classifier.norm then norm.sublayer_packed(spec, add, "classifier") end
    add_linear("classifier", { weight = "classifier_weight", bias = "classifier_bias" })
  end,
  outputs = function(spec, add)
    if spec.classifier then add("class_logits", spec.pool and pooling.words(spec).pooled_rows or "all") end
  end,
  tensors = function(spec, add)
    if spec.classifier then add({ name = "class_logits", shape = { "batch", "n_labels" }, is = "output" }) end
  end,
  last_operations = function(spec, add, words)
    if not spec.classifier then return end
    add({ name = "class_logits", op = spec.pool.kind .. " of rows", phase = "output", reads = { words.result },
      writes = { "class_logits" }, fused = ("linear, %s, %slinear"):format(spec.classifier.activation,
        spec.classifier.norm and "norm, " or ""), template = "classifier.outputs", weights = role_names(spec) })
  end,
  on = function(spec) return spec.classifier end,
  uses = { "norm", "pooling", "run_last" },
  properties = function(spec)
    local classifier = spec.classifier
    return { { "classifier_activation", "ACTIVATION_" .. classifier.activation:upper() },
      { "n_labels", classifier.labels }, { "class_scores", "CLASS_SCORES_" .. classifier.scores:upper() } }
  end,
  sentence = function(spec)
    if not spec.classifier then return nil end
    return ("class_logits: %d a sequence, by a dense linear of its embedding, %s%s and a linear"):format(
      spec.classifier.labels, spec.classifier.activation, spec.classifier.norm and ", a norm" or "")
  end,
}
