-- ops/logits.lua: the linear after the last layer: one number for each token or class, as they are, or through
-- softmax or its logarithm. Tied, its weight is the embedding's, which is then packed once, or where the linear
-- multiplies narrow numbers twice: tokens' rows stay floats.
local dtype = require "dtype"
local types = require "schema.types"

local MOST = 1048576 -- a row: a product so wide is planned within a second, and no vocabulary is larger
local WHAT = { linear = "logits", softmax = "probabilities", log_softmax = "logarithms of probabilities" }

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

return {
  name = "logits",
  of_decoder = true,
  weights = { "logits_weight", "logits_bias" },
  looked_up = { "logits_weight" }, beside = { "logits_weight", "logits_bias" },
  fields = {
    { field = "logits.kind", flag = "--logits", value = "linear|softmax|log_softmax",
      check = types.choice({ "linear", "softmax", "log_softmax" }), parse = function(word) return word end,
      default = "none", help = "also gives `logits`, a linear of each row of the output",
      group = "whole models", example = 'logits = { kind = "linear" }' },
    { field = "logits.size", flag = "--logits-size", value = "N", check = types.count(1, MOST),
      parse = types.to_number, default = "vocab_size", help = "number of logits of each row",
      group = "whole models", example = 'logits = { kind = "softmax", size = 10 }' },
    { field = "logits.tied", flag = "--logits-tied", value = "yes|no", check = types.boolean,
      parse = types.to_boolean, default = "no", help = "whether the linear uses the weight of the embedding",
      group = "whole models", example = 'vocab_size = 100, logits = { kind = "linear", tied = true }' },
    { field = "logits.bias", flag = "--logits-bias", value = "yes|no", check = types.boolean,
      parse = types.to_boolean, default = "no", help = "whether the linear adds a bias",
      group = "whole models", example = 'logits = { kind = "linear", bias = true }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.logits then return end
    local logits = spec.logits
    if not logits.kind then
      fail('logits.kind is missing beside the other fields of logits: "linear", "softmax" or "log_softmax"')
      return
    end
    check_size(spec, logits, fail)
    logits.size = logits.size or spec.vocab_size or 1
    logits.tied, logits.bias = logits.tied or false, logits.bias or false
    local is_narrow = spec.arithmetic_of.logits ~= "f32"
    -- Groups have every number of a row apart, as a token's row needs it.
    local has_rows = not is_narrow or dtype.get(spec.weights_dtype).group ~= nil
    if logits.tied and has_rows then spec.own_token_table = false end
    spec.makes_last_rows = spec.makes_last_rows or is_narrow or spec.chooses
  end,
  last_roles = function(spec, add)
    if not spec.logits then return end
    if not spec.logits.tied then add("logits_weight", { spec.logits.size, spec.d_model }) end
    if spec.logits.bias then add("logits_bias", { spec.logits.size }) end
  end,
  products = function(spec, add)
    if not spec.logits then return end
    add({ op = "logits", role = "logits", what = "rows -> logits", n_in = spec.d_model, n_out = spec.logits.size })
  end,
  packed_vocabulary = function(spec, _, add_linear)
    if spec.logits then add_linear("logits") end
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
    add({ name = "logits", op = "linear", phase = "output", reads = { words.result },
      writes = { "logits", "last_logits" }, template = "logits.outputs",
      weights = { spec.logits.tied and "embedding" or "logits_weight", spec.logits.bias and "logits_bias" or nil } })
  end,
  on = function(spec) return spec.logits end,
  uses = { "last_rows" },
  sentence = function(spec)
    if not spec.logits then return nil end
    local weight = spec.logits.tied and ", by the embedding's own weight" or ""
    if spec.logits.tied and spec.own_token_table then weight = weight .. ", packed once more" end
    return ("logits: %d %s a row%s"):format(spec.logits.size, WHAT[spec.logits.kind], weight)
  end,
}
