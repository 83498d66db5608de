-- ops/classifier.lua: a classification head on the pooled row of each sequence: a dense linear of d_model, an
-- activation and a linear with one number for each label. A call gives these numbers; what scores are made of them is
-- only said, for the program.
local pooling = require "ops.pooling"
local types = require "schema.types"

local ACTIVATIONS = { "tanh", "relu", "gelu" }
local SCORES = { "sigmoid", "softmax", "none" }
local MOST = 65536

return {
  name = "classifier",
  of_decoder = true,
  weights = { "classifier_dense_weight", "classifier_dense_bias", "classifier_weight", "classifier_bias" },
  beside = { "classifier_dense_weight", "classifier_dense_bias", "classifier_weight", "classifier_bias" },
  fields = {
    { field = "classifier.labels", flag = "--classifier-labels", value = "N", check = types.count(1, MOST),
      parse = types.to_number, default = "none",
      help = "also gives `class_logits`, N numbers for each sequence: a linear of activation(dense(embedding))",
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2 }' },
    { field = "classifier.activation", flag = "--classifier-activation", value = "NAME",
      check = types.choice(ACTIVATIONS), parse = function(word) return word end, default = "tanh",
      help = "activation after the dense linear of the classifier: " .. table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'pool = { kind = "cls" }, classifier = { labels = 2, activation = "relu" }' },
    { field = "classifier.scores", flag = "--classifier-scores", value = table.concat(SCORES, "|"),
      check = types.choice(SCORES), parse = function(word) return word end, default = "sigmoid of one label, else none",
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
    spec.classifier.activation = spec.classifier.activation or "tanh"
    spec.classifier.scores = spec.classifier.scores or spec.classifier.labels == 1 and "sigmoid" or "none"
  end,
  last_roles = function(spec, add)
    if not spec.classifier then return end
    add("classifier_dense_weight", { spec.d_model, spec.d_model })
    add("classifier_dense_bias", { spec.d_model })
    add("classifier_weight", { spec.classifier.labels, spec.d_model })
    add("classifier_bias", { spec.classifier.labels })
  end,
  products = function(spec, add)
    if not spec.classifier then return end
    add({ op = "classifier_dense", role = "classifier", what = "pooled rows -> the classifier's dense rows",
      rows = "batch", n_in = spec.d_model, n_out = spec.d_model })
    add({ op = "classifier", role = "classifier", what = "dense rows -> class_logits", rows = "batch",
      n_in = spec.d_model, n_out = spec.classifier.labels })
  end,
  packed = function(spec, _, add_linear)
    if not spec.classifier then return end
    add_linear("classifier_dense", { weight = "classifier_dense_weight", bias = "classifier_dense_bias" })
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
      writes = { "class_logits" }, fused = ("linear, %s, linear"):format(spec.classifier.activation),
      template = "classifier.outputs",
      weights = { "classifier_dense_weight", "classifier_dense_bias", "classifier_weight", "classifier_bias" } })
  end,
  on = function(spec) return spec.classifier end,
  uses = { "pooling", "run_last" },
  sentence = function(spec)
    if not spec.classifier then return nil end
    return ("class_logits: %d a sequence, by a dense linear of its embedding, %s and a linear"):format(
      spec.classifier.labels, spec.classifier.activation)
  end,
}
