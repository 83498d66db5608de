-- qk_norm.lua: each head's q and k are normalised to a size of one, times learned weights: RMSNorm or LayerNorm.
-- Adds to the stage after a projection, before positions. Norms over all heads together are in qk_norm_of_rows.lua, but
-- for their weights.
local fmt = require "base.fmt"
local types = require "schema.types"

local NAMES = { rms = "RMSNorm", layer = "LayerNorm" }
local EPS = { rms = 1e-6, layer = 1e-5 }

-- What a norm has learned.
local function parts(spec)
  return spec.qk_norm.bias and { "weight", "bias" } or { "weight" }
end

-- How many heads have weights of their own.
local function weighed_heads(spec, p)
  if spec.qk_norm.over == "head" then return 1 end
  return p == "q" and spec.n_heads or spec.n_kv_heads
end

return {
  name = "qk_norm",
  in_layers = true,
  fields = {
    { field = "qk_norm.kind", flag = "--qk-norm", check = types.choice({ "rms", "layer" }), default = "none",
      help = "RMSNorm or LayerNorm over each head of q and of k, with weights of d_head",
      group = "projections", example = 'qk_norm = { kind = "rms" }' },
    { field = "qk_norm.eps", flag = "--qk-norm-eps", check = types.number(0, 1), default = "1e-06 (rms), 1e-05 (layer)",
      help = "number added to the mean square before the square root",
      group = "projections", example = 'qk_norm = { kind = "rms", eps = 1e-6 }' },
    { field = "qk_norm.bias", check = types.boolean, default = "true for layer",
      help = "whether a LayerNorm also has a learned bias",
      group = "projections", example = 'qk_norm = { kind = "layer", bias = false }' },
    { field = "qk_norm.unit_offset", check = types.boolean, default = "false",
      help = "whether these norms multiply by 1 + weight, as in Gemma 3",
      group = "projections", example = 'qk_norm = { kind = "rms", unit_offset = true }' },
  },
  resolve = function(spec, fail)
    local norm = spec.qk_norm
    if not norm then return end
    if not norm.kind then
      fail('qk_norm.kind is missing, but there are other fields of qk_norm: "rms" or "layer"')
      return
    end
    if norm.kind == "rms" and norm.bias then
      fail('qk_norm.bias (true) and qk_norm.kind ("rms") contradict: RMSNorm adds none')
    end
    norm.eps = norm.eps or EPS[norm.kind]
    if norm.bias == nil then norm.bias = norm.kind == "layer" end
    norm.unit_offset = norm.unit_offset or false
    spec.needs_unscaled_q = true
  end,
  roles = function(spec, add)
    for _, p in ipairs(spec.qk_norm and { "q", "k" } or {}) do
      for _, part in ipairs(parts(spec)) do
        add(("%s_norm_%s"):format(p, part), { weighed_heads(spec, p) * spec.d_head })
      end
    end
  end,
  packed = function(spec, add, d_head_pad)
    for _, p in ipairs(spec.qk_norm and { "q", "k" } or {}) do
      local fills, heads = {}, weighed_heads(spec, p)
      for i, part in ipairs(parts(spec)) do
        fills[i] = { kind = "copy", role = ("%s_norm_%s"):format(p, part), at = (i - 1) * d_head_pad * 4, rows = heads,
          columns = spec.d_head, stride = d_head_pad, plus = i == 1 and spec.qk_norm.unit_offset and 1 or 0 }
      end
      add(p .. "_norm", #parts(spec) * heads * d_head_pad, fills)
    end
  end,
  on = function(spec) return spec.qk_norm and spec.qk_norm.over == "head" end,
  operations = function(spec, add)
    if not spec.qk_norm then return end
    local weights = {}
    for _, p in ipairs({ "q", "k" }) do
      for _, part in ipairs(parts(spec)) do weights[#weights + 1] = ("%s_norm_%s"):format(p, part) end
    end
    add("projected", { name = "qk_norm", op = "norm", reads = { "q", "k" }, writes = { "q", "k" }, weights = weights })
  end,
  properties = function(spec)
    local norm = spec.qk_norm
    return { { "qk_norm.kind", "NORM_" .. norm.kind:upper() }, { "qk_norm.eps", norm.eps },
      { "qk_norm.unit_offset", norm.unit_offset } }
  end,
  sentence = function(spec)
    if not spec.qk_norm then return nil end
    return ("%s over %s, eps %s%s"):format(NAMES[spec.qk_norm.kind],
      spec.qk_norm.over == "head" and "each head of q and k" or "all heads of q together, and all of k",
      fmt.double(spec.qk_norm.eps),
      spec.qk_norm.unit_offset and ", times 1 + weight" or "")
  end,
}
