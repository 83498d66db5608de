-- ops/feed_forward.lua: what follows attention in each layer: two linears with an activation between them, or three
-- where one gates the other (Shazeer, "GLU Variants Improve Transformer", 2020).
local activations = require "ops.activations"
local linear = require "ops.linear"
local types = require "schema.types"

local ACTIVATIONS = { "relu", "gelu", "gelu_tanh", "silu", "tanh" }

-- The parts of the first linear; a gated one's gives the gate first.
local function first_parts(spec)
  local d_ff = spec.d_ff
  local function part(role, n_out) return { role = role, n_out = n_out, n_in = spec.d_model } end
  if spec.ffn.fused then return { part("gate_up", 2 * d_ff) } end
  return spec.ffn.gated and { part("gate", d_ff), part("up", d_ff) } or { part("up", d_ff) }
end

-- What a layer's feed-forward consists of.
local function operations(spec, words)
  local ffn = spec.ffn
  local list = {
    linear.operation(spec, { name = "up", role = "up", bias = ffn.bias,
      what = ffn.gated and "rows -> gate and up, side by side" or "rows -> the width of the feed-forward",
      does = "feed-forward", reads = { words.normed }, writes = { "mid" }, width = "MID", parts = first_parts(spec),
      finish = not ffn.gated and "activate" or nil, fused = not ffn.gated and ffn.activation or nil,
      is_pair = ffn.gated }),
    linear.operation(spec, { name = "down", role = "down", bias = ffn.down_bias,
      what = spec.layer.residual and "feed-forward -> what joins the residual" or "feed-forward -> rows",
      reads = { "mid" }, writes = { words.joining }, width = "D_FF",
      parts = { { role = "down", n_out = spec.d_model, n_in = spec.d_ff } } }),
  }
  if ffn.gated then
    table.insert(list, 2, { name = "gate", op = ffn.activation .. ", product", phase = "block", reads = { "mid" },
      writes = { "mid" }, template = "feed_forward.gate" })
  end
  return list
end

local function sublayers(spec, words)
  if spec.n_layers == 0 then return {} end
  return { { name = "ffn", operations = operations(spec, words) } }
end

-- Which linears add no bias, in words.
local function bias_words(ffn)
  if ffn.bias == ffn.down_bias then return ffn.bias and "" or ", no biases" end
  return ffn.bias and ", no bias after its last linear" or ", a bias only after its last linear"
end

return {
  name = "feed_forward",
  weights = { "gate_weight", "gate_bias", "up_weight", "up_bias", "gate_up_weight", "gate_up_bias",
    "down_weight", "down_bias" },
  fields = {
    { field = "d_ff", flag = "--d-ff", check = types.count(1, 262144), default = "4 x d_model",
      help = "width of the feed-forward between its two linears",
      group = "whole models", example = "d_ff = 1536" },
    { field = "ffn.activation", flag = "--ffn-activation", value = "NAME", check = types.choice(ACTIVATIONS),
      default = "relu",
      help = "activation between the linears of the feed-forward: " .. table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'ffn = { activation = "gelu" }' },
    { field = "ffn.gated", flag = "--ffn-gated", check = types.boolean, default = "no",
      help = "compute activation(gate(x)) * up(x) instead of activation(up(x)), as in Llama",
      group = "whole models", example = 'ffn = { activation = "silu", gated = true }' },
    { field = "ffn.fused", flag = "--ffn-fused", check = types.boolean, default = "no",
      help = "one weight [2 x d_ff][d_model] has the rows of gate, then of up, as Wi in ModernBERT",
      group = "whole models", example = 'ffn = { activation = "gelu", gated = true, fused = true }' },
    { field = "ffn.bias", flag = "--ffn-bias", check = types.boolean, default = "yes",
      help = "whether the linears of the feed-forward add a bias",
      group = "whole models", example = "ffn = { bias = false }" },
    { field = "ffn.down_bias", flag = "--ffn-down-bias", check = types.boolean, default = "as ffn.bias",
      help = "whether the last linear of the feed-forward adds a bias",
      group = "whole models", example = "ffn = { bias = false, down_bias = true }" },
  },
  resolve = function(spec, fail)
    if not spec.stack then return end
    local ffn = spec.ffn or {}
    if ffn.fused and not ffn.gated then
      fail("ffn.fused is given, but without ffn.gated there is no gate whose rows come before those of up")
    end
    if spec.n_layers == 0 then
      spec.d_ff, spec.ffn = 0, { activation = "none", gated = false, bias = false, down_bias = false }
      return
    end
    spec.d_ff = spec.d_ff or 4 * spec.d_model
    spec.ffn = {
      activation = ffn.activation or "relu", gated = ffn.gated or false, fused = ffn.fused or false,
      bias = ffn.bias ~= false, down_bias = ffn.bias ~= false,
    }
    if ffn.down_bias ~= nil then spec.ffn.down_bias = ffn.down_bias end
    activations.ask(spec, spec.ffn.activation, spec.d_ff)
  end,
  sublayers = sublayers,
  tensors = function(spec, add)
    if spec.n_layers == 0 then return end
    add({ name = "mid", shape = { "block", "mid" }, width = spec.d_ff * (spec.ffn.gated and 2 or 1), apart = true,
      stride = "MID_STRIDE" })
  end,
  properties = function(spec)
    return { { "d_ff", spec.d_ff }, { "ffn_activation", "ACTIVATION_" .. spec.ffn.activation:upper() },
      { "ffn_gated", spec.ffn.gated } }
  end,
  sentence = function(spec)
    if not spec.stack or spec.n_layers == 0 then return nil end
    local ffn = spec.ffn
    local gated = ffn.gated and " gating a second linear" or ""
    if ffn.fused then gated = " gating the second half of one linear" end
    return ("feed-forward of %d, %s%s%s"):format(spec.d_ff, ffn.activation, gated, bias_words(ffn))
  end,
}
