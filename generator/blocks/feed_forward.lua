-- blocks/feed_forward.lua: what follows attention in each layer: two linears with an activation between them, or three
-- where one gates the other (Shazeer, "GLU Variants Improve Transformer", 2020).
local types = require "spec.types"

local ACTIVATIONS = { "relu", "gelu", "gelu_tanh", "silu", "tanh" }

return {
  name = "feed_forward",
  fields = {
    { field = "d_ff", flag = "--d-ff", value = "N", check = types.count(1, 262144), parse = types.to_number,
      default = "4 x d_model", help = "width between the two linears of the feed-forward",
      group = "whole models", example = "d_ff = 1536" },
    { field = "ffn.activation", flag = "--ffn-activation", value = "NAME", check = types.choice(ACTIVATIONS),
      parse = function(word) return word end, default = "relu",
      help = "between the linears of the feed-forward: " .. table.concat(ACTIVATIONS, ", "),
      group = "whole models", example = 'ffn = { activation = "gelu" }' },
    { field = "ffn.gated", flag = "--ffn-gated", value = "yes|no", check = types.boolean, parse = types.to_boolean,
      default = "no", help = "activation(gate(x)) * up(x) in place of activation(up(x)), as in Llama",
      group = "whole models", example = 'ffn = { activation = "silu", gated = true }' },
    { field = "ffn.bias", flag = "--ffn-bias", value = "yes|no", check = types.boolean, parse = types.to_boolean,
      default = "yes", help = "whether the linears of the feed-forward add a bias",
      group = "whole models", example = "ffn = { bias = false }" },
  },
  resolve = function(spec)
    if not spec.stack then return end
    local ffn = spec.ffn or {}
    if spec.n_layers == 0 then
      spec.d_ff, spec.ffn = 0, { activation = "none", gated = false, bias = false }
      return
    end
    spec.d_ff = spec.d_ff or 4 * spec.d_model
    spec.ffn = { activation = ffn.activation or "relu", gated = ffn.gated or false, bias = ffn.bias ~= false }
  end,
  layer_roles = function(spec, add)
    local d_model, d_ff = spec.d_model, spec.d_ff
    local function linear(name, n_out, n_in)
      add(name .. "_weight", { n_out, n_in })
      if spec.ffn.bias then add(name .. "_bias", { n_out }) end
    end
    if spec.ffn.gated then linear("gate", d_ff, d_model) end
    linear("up", d_ff, d_model)
    linear("down", d_model, d_ff)
  end,
  sentence = function(spec)
    if not spec.stack or spec.n_layers == 0 then return nil end
    local ffn = spec.ffn
    return ("feed-forward of %d, %s%s%s"):format(spec.d_ff, ffn.activation,
      ffn.gated and " gating a second linear" or "", ffn.bias and "" or ", no biases")
  end,
}
