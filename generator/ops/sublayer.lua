-- ops/sublayer.lua: a residual on its own: a model without layers adds to its rows what the caller's own sublayer
-- made of them. Computes no sublayer; within layers the residual is their own (layer.residual).
local types = require "schema.types"

-- What is added to rows before any sublayer sees them, and so before a residual.
local BEFORE = { vocab_size = true, token_types = true, positions = true, embedding = true }

local function check(spec, fail)
  if spec.n_layers ~= 0 then
    fail(("sublayer is given, but each layer adds its own sublayers' results: it goes with n_layers = 0, found %d")
      :format(spec.n_layers))
  end
  for _, entry in ipairs(spec.given) do
    if BEFORE[entry.field:match("^[^.]+")] then
      fail(("%s is given with sublayer, whose rows have left the embedding: give the embedding a model of its own")
        :format(entry.field))
    end
  end
end

return {
  name = "sublayer",
  fields = {
    { field = "sublayer", flag = "--sublayer", check = types.boolean, default = "no",
      help = "with n_layers = 0: also takes `sublayer`, rows added to x before the last norm",
      group = "whole models", example = 'kind = "encoder", n_layers = 0, sublayer = true, norm = { final = true }',
      meaning = "`true`: the call also gives `sublayer`, rows that are added to `x` before the last norm. Only with " ..
        "`n_layers = 0`" },
  },
  resolve = function(spec, fail)
    if spec.stack and spec.sublayer then check(spec, fail) end
    spec.sublayer = spec.sublayer or false
    spec.adds_rows = spec.adds_rows or spec.sublayer
  end,
  tensors = function(spec, add)
    if spec.sublayer then add({ name = "sublayer", shape = { "batch", "q_len", "d_model" }, is = "input" }) end
  end,
  first_operations = function(spec, add)
    if not spec.sublayer then return end
    add({ name = "sublayer", op = "sum", phase = "row", reads = { "x", "sublayer" }, writes = { "x" },
      template = "sublayer.row_in" })
  end,
  on = function(spec) return spec.sublayer end,
  uses = { "added_rows" },
  properties = function() return { { "sublayer", true } } end,
  sentence = function(spec)
    return spec.sublayer and "a residual: what a sublayer made is added to the rows" or nil
  end,
}
