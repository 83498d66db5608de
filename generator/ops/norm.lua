-- ops/norm.lua: LayerNorm (Ba et al., 2016) or RMSNorm (Zhang and Sennrich, 2019) over the rows of a stack: after
-- each residual ("post", as in "Attention Is All You Need"), before each block ("pre"), over each block's result before
-- it joins the residual ("result"), or in both of these places ("sandwich"), with one after the last layer; or none at
-- all.
local fmt = require "base.fmt"
local types = require "schema.types"

local NAMES = { layer = "LayerNorm", rms = "RMSNorm" }
local PLACES = { post = "after each residual", pre = "before each block", result = "over each block's result",
  sandwich = "before each block and over its result" }
local OF_RESULTS = { result = true, sandwich = true } -- places over what joins the residual
local EPS = { layer = 1e-5, rms = 1e-6, none = 0 }

-- Fields that speak of norms where there are none.
local function check_used(spec, norm, fail)
  local embeds = spec.embedding.norm
  if norm.kind == "none" then
    for _, field in ipairs({ "eps", "place", "final", "bias", "unit_offset", "skips_first" }) do
      if norm[field] then fail(('norm.%s is given, but norm.kind = "none"'):format(field)) end
    end
    if embeds then fail('embedding.norm is given, but norm.kind = "none"') end
  elseif spec.n_layers == 0 and (norm.kind or norm.eps) and not norm.final and not embeds then
    fail(("norm.%s is given, but with n_layers = 0 there is no norm but norm.final and embedding.norm"):format(
      norm.kind and "kind" or "eps"))
  end
end

local function check_kind(spec, norm, fail)
  if norm.kind == "rms" and norm.bias then fail('norm.bias is given, but norm.kind = "rms" has none') end
  if OF_RESULTS[norm.place] and spec.layer and not spec.layer.residual then
    fail(('norm.place = "%s" is over what joins the residual, but layer.residual = false'):format(norm.place))
  end
  if norm.skips_first and (norm.place ~= "pre" or spec.n_layers == 0) then
    fail('norm.skips_first is given, but without norm.place = "pre" and layers there is no norm to skip')
  end
end

-- Where norms stand: embedding, final: outside the layers; pre: before each sublayer; post: after what it joins;
-- result: over what it adds.
local function places(spec)
  local place = spec.norm.place
  return { embedding = spec.embedding.norm, final = spec.norm.final, pre = place == "pre" or place == "sandwich",
    post = place == "post", result = OF_RESULTS[place] or false }
end

-- The weights of a norm of some name; none where there are no norms.
local function add_roles(spec, add, name)
  if spec.norm.kind == "none" then return end
  add(name .. "_norm_weight", { spec.d_model })
  if spec.norm.bias then add(name .. "_norm_bias", { spec.d_model }) end
end

-- Where the norms of a sublayer stand; outside the layers there is one after a linear.
local function places_of(spec, name)
  for _, sublayer in ipairs(spec.sublayers) do
    if sublayer.name == name then return places(spec) end
  end
  return { post = true }
end

-- Where the first block of the first layer has no norm, those of other layers come last, so that the roles that all
-- layers have stand in one place.
local function sublayer_roles(spec, add, name)
  local norms = places_of(spec, name)
  if norms.pre or norms.post then
    if not (spec.norm.skips_first and name == spec.sublayers[1].name) then add_roles(spec, add, name) end
  end
  if norms.result then add_roles(spec, add, name .. "_result") end
end

local function layer_roles(spec, add, layer)
  if spec.norm.skips_first and layer > 0 then add_roles(spec, add, spec.sublayers[1].name) end
end

local function add_packed(spec, add, name)
  local fills = {}
  add_roles(spec, function(role)
    fills[#fills + 1] = { kind = "copy", role = role, at = #fills * spec.d_model * 4, columns = spec.d_model,
      plus = #fills == 0 and spec.norm.unit_offset and 1 or 0 }
  end, name)
  if #fills > 0 then add(name .. "_norm", spec.d_model * #fills, fills) end
end

local function sublayer_packed(spec, add, name)
  local norms = places_of(spec, name)
  if norms.pre or norms.post then add_packed(spec, add, name) end
  if norms.result then add_packed(spec, add, name .. "_result") end
end

-- The roles of the norm of some name, each after what says whose it is.
local function role_names(spec, name, of)
  local names = {}
  add_roles(spec, function(role) names[#names + 1] = of .. role end, name)
  return names
end

-- Hands a norm of rows, x unless more.reads says others, to add.
local function add_operation(add, name, phase, writes, template, more)
  more.name, more.op, more.phase, more.reads, more.writes = name, "norm", phase, more.reads or { "x" }, { writes }
  more.template = "norm." .. template
  add(more)
end

local function first_operations(spec, add)
  local norms, first = places(spec), spec.sublayers[1]
  if norms.embedding then
    add_operation(add, "embedding_norm", "all rows", "x", "embedding", { weights = role_names(spec, "embedding", "") })
  end
  if spec.norm.skips_first then
    add({ name = "first_rows", op = "copy", phase = "all rows", reads = { "x" }, writes = { "n" },
      template = "norm.first_rows" })
  elseif norms.pre then
    add_operation(add, "first_norm", "all rows", "n", "first",
      { of = first.name, weights = role_names(spec, first.name, "layers.0.") })
  end
end

-- What is normed with after a sublayer before each of which a norm stands: the next one's, or the next layer's first.
local function pre_operations(spec, add, following)
  if following then
    return add_operation(add, following.name .. "_norm", "block", "n", "following",
      { of = following.name, weights = role_names(spec, following.name, "") })
  end
  local weights = role_names(spec, spec.sublayers[1].name, "next.")
  local final = spec.norm.final and role_names(spec, "final", "last.") or {}
  for _, role in ipairs(final) do weights[#weights + 1] = role end
  add_operation(add, "next_norm", "block", "n", "next", { weights = weights })
end

local function result_operations(spec, add, sublayer)
  if spec.norm.kind == "none" or not places(spec).result then return end
  local name = sublayer.name .. "_result"
  add_operation(add, name .. "_norm", "block", "y", "result",
    { of = name, reads = { "y" }, weights = role_names(spec, name, "") })
end

-- The norm of the next sublayer where both read the same rows.
local function unjoined_operations(spec, add, _, following)
  if spec.layer.parallel and following then pre_operations(spec, add, following) end
end

local function sublayer_operations(spec, add, sublayer, following)
  local norms = places(spec)
  if spec.norm.kind == "none" then return end
  if spec.layer.parallel and following then return end
  if norms.pre then return pre_operations(spec, add, following) end
  if norms.post then
    add_operation(add, sublayer.name .. "_norm", "block", "x", "joined",
      { of = sublayer.name, weights = role_names(spec, sublayer.name, "") })
  end
  if spec.norm.final and not following then
    add_operation(add, "final_norm", "block", "x", "last", { weights = role_names(spec, "final", "last.") })
  end
end

-- Within layers it is theirs.
local function last_operations(spec, add)
  if spec.n_layers > 0 or not spec.norm.final then return end
  add_operation(add, "final_norm", "all rows", "x", "rows_out", { weights = role_names(spec, "final", "") })
end

return {
  name = "norm",
  weights = { "embedding_norm_weight", "embedding_norm_bias", "attention_norm_weight", "attention_norm_bias",
    "attention_result_norm_weight", "attention_result_norm_bias", "memory_norm_weight", "memory_norm_bias",
    "memory_result_norm_weight", "memory_result_norm_bias", "ffn_norm_weight", "ffn_norm_bias",
    "ffn_result_norm_weight", "ffn_result_norm_bias", "final_norm_weight", "final_norm_bias" },
  fields = {
    { field = "norm.kind", flag = "--norm", check = types.choice({ "layer", "rms", "none" }), default = "layer",
      help = "LayerNorm or RMSNorm over each row",
      group = "whole models", example = 'norm = { kind = "rms" }' },
    { field = "norm.eps", flag = "--norm-eps", check = types.number(0, 1), default = "1e-05 (layer), 1e-06 (rms)",
      help = "number added to the mean square before the square root",
      group = "whole models", example = "norm = { eps = 1e-12 }" },
    { field = "norm.place", flag = "--norm-place", check = types.choice({ "post", "pre", "result", "sandwich" }),
      default = "post",
      help = "a norm after each residual, before each block (norm_first), over its result before that joins the " ..
        "residual (OLMo 2), or in both of these places (Gemma 2)",
      group = "whole models", example = 'norm = { place = "pre" }' },
    { field = "norm.final", flag = "--norm-final", check = types.boolean, default = "no with post, yes otherwise",
      help = "one more norm after the last layer",
      group = "whole models", example = 'norm = { place = "post", final = true }' },
    { field = "norm.bias", flag = "--norm-bias", check = types.boolean, default = "yes with layer, no with rms",
      help = "whether LayerNorm adds a bias",
      group = "whole models", example = "norm = { bias = false }" },
    { field = "norm.unit_offset", flag = "--norm-unit-offset", check = types.boolean, default = "no",
      help = "norms multiply by 1 + weight, as in Gemma",
      group = "whole models", example = 'norm = { kind = "rms", unit_offset = true }' },
    { field = "norm.skips_first", flag = "--norm-skips-first", check = types.boolean, default = "no",
      help = "with pre: no norm before the first block of the first layer, as in ModernBERT",
      group = "whole models", example = 'norm = { place = "pre", skips_first = true }' },
  },
  resolve = function(spec, fail)
    if not spec.stack then return end
    local norm = spec.norm or {}
    check_used(spec, norm, fail)
    check_kind(spec, norm, fail)
    local kind, place = norm.kind or "layer", norm.place or "post"
    local final = norm.final
    if final == nil then final = place ~= "post" end
    spec.norm = { kind = kind, eps = norm.eps or EPS[kind], place = place, final = final,
      bias = kind == "layer" and norm.bias ~= false, unit_offset = norm.unit_offset or false,
      skips_first = norm.skips_first or false }
  end,
  first_roles = function(spec, add)
    if spec.embedding.norm then add_roles(spec, add, "embedding") end
  end,
  sublayer_roles = sublayer_roles,
  layer_roles = layer_roles,
  last_roles = function(spec, add)
    if spec.norm.final then add_roles(spec, add, "final") end
  end,
  sublayer_packed = sublayer_packed,
  packed = function(spec, add)
    if spec.embedding.norm then add_packed(spec, add, "embedding") end
    if spec.norm.final then add_packed(spec, add, "final") end
  end,
  tensors = function(spec, add)
    if places(spec).pre and spec.n_layers > 0 then
      add({ name = "n", shape = { "rows", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
    end
  end,
  first_operations = first_operations,
  result_operations = result_operations,
  unjoined_operations = unjoined_operations,
  sublayer_operations = sublayer_operations,
  last_operations = last_operations,
  words = function(spec)
    local norms = places(spec)
    return { norms = norms, normed = norms.pre and "n" or "x", result = norms.pre and norms.final and "n" or "x" }
  end,
  properties = function(spec)
    local norm = spec.norm
    return { { "norm.kind", "NORM_" .. norm.kind:upper() }, { "norm.eps", norm.eps },
      { "norm.unit_offset", norm.unit_offset }, { "norm_first", norm.place == "pre" or norm.place == "sandwich" },
      { "result_norm", OF_RESULTS[norm.place] or false }, { "final_norm", norm.final } }
  end,
  sentence = function(spec)
    if not spec.stack then return nil end
    if spec.norm.kind == "none" then return "no norms" end
    if spec.n_layers == 0 then
      return (spec.norm.final or spec.embedding.norm) and
        ("%s, eps %s"):format(NAMES[spec.norm.kind], fmt.double(spec.norm.eps)) or nil
    end
    return ("%s %s, eps %s%s"):format(NAMES[spec.norm.kind],
      PLACES[spec.norm.place], fmt.double(spec.norm.eps),
      (spec.norm.bias or spec.norm.kind == "rms") and "" or ", no biases") ..
      (spec.norm.unit_offset and ", times 1 + weight" or "") ..
      (spec.norm.skips_first and ", none before the first" or "") ..
      (spec.norm.final and ", and one after the last layer" or "")
  end,
}
