-- from_hf/conversions.lua: what a value of a model's config.json means in a spec, where it is not the value itself; by
-- the names that generator/import/hf gives them. Each is convert(value, context, row): the spec's value, nil for what a
-- spec leaves out, or nil and what was expected. context: get(config field), made (spec fields so far), given (by
-- flags).
local elementary = require "base.elementary"
local json = require "import.from_hf.json"
local layer_kinds = require "import.from_hf.layer_kinds"
local positions = require "import.from_hf.positions"
local types = require "schema.types"

local conversions = {}

local LONGEST = 65536 -- the most that seq_len may say

-- Names of transformers' ACT2FN, and what the same function is called here.
local ACTIVATIONS = {
  relu = "relu", gelu = "gelu", gelu_python = "gelu", gelu_new = "gelu_tanh", gelu_fast = "gelu_tanh",
  gelu_accurate = "gelu_tanh", gelu_pytorch_tanh = "gelu_tanh", silu = "silu", swish = "silu", tanh = "tanh",
}

function conversions.activation(value)
  local names = {}
  for name in pairs(ACTIVATIONS) do names[#names + 1] = name end
  table.sort(names)
  if not ACTIVATIONS[value] then return nil, "one of " .. table.concat(names, ", ") end
  return ACTIVATIONS[value]
end

local GATES = { swiglu = "silu", geglu = "gelu" }

-- The activation of a gate by the name of the feed-forward.
function conversions.gate(value)
  if not GATES[value] then return nil, "swiglu or geglu" end
  return GATES[value]
end

local GATED = "^gated%-"

-- T5's word for its feed-forward is an activation's name, after "gated-" where that gates a second linear. T5 has one
-- gelu with a gate, the approximation.
function conversions.t5_activation(value)
  if value == "gated-gelu" then return "gelu_tanh" end
  local name = type(value) == "string" and value:gsub(GATED, "")
  local made, expected = conversions.activation(name)
  return made, expected and expected .. ', or "gated-" and one of these'
end

function conversions.t5_gated(value)
  return type(value) == "string" and value:find(GATED) ~= nil
end

-- The layout with the names of its linears.
function conversions.t5_layout(value)
  return conversions.t5_gated(value) and "t5_gated" or "t5"
end

local is_count = types.count(1)

-- Any length up to the value; no longer than a cache that was asked for.
function conversions.up_to(value, context)
  if not is_count(value) then return nil, "a whole number from 1" end
  return ("1..%d"):format(math.min(value, tonumber(context.given.cache) or LONGEST, LONGEST))
end

-- The same, less the rows that are left out: their number, or the field of the spec that says it.
function conversions.up_to_less(value, context, row)
  local less = tonumber(row.less) or tonumber(context.made[row.less]) or 0
  if not is_count(value) or value <= less then return nil, ("a whole number above %d"):format(less) end
  return conversions.up_to(value - less, context)
end

-- The row after one.
function conversions.after(value)
  if not types.count(0, 65535)(value) then return nil, "a whole number from 0 to 65535" end
  return value + 1
end

-- The token whose row of positions is the one before the first; none where the caller's first row is another.
function conversions.before_first(value, context)
  local first, why = conversions.after(value)
  if not first then return nil, why end
  local given = context.given["positions.first"]
  return (given == nil or given == first) and value or nil
end

-- Whether scores are scaled at all.
function conversions.scaled(value)
  if type(value) ~= "boolean" then return nil, "true or false" end
  if value then return nil end
  return 1
end

-- How many keys a row sees; false for all.
function conversions.window(value)
  if value == false then return nil end
  if not is_count(value) then return nil, "a whole number from 1, or null" end
  return math.min(value, LONGEST)
end

-- transformers' rope_type, an older word for one kind among them.
local SCALINGS = { default = false, linear = "linear", dynamic = "dynamic", yarn = "yarn", longrope = "longrope",
  su = "longrope", llama3 = "llama3" }

function conversions.scaling(value)
  local kind = SCALINGS[value]
  if kind == nil then return nil, "one of default, linear, dynamic, yarn, longrope, llama3" end
  return kind or nil
end

-- A number that only some kinds of scaling, row.kinds, use.
function conversions.of_scaling(value, context, row)
  local kind = context.made["rope.scaling"]
  if not kind then return nil, "none: rotary positions are not scaled" end
  if not (" " .. row.kinds .. " "):find(" " .. kind .. " ", 1, true) then
    return nil, ("none: scaling of type %s does not use it"):format(kind)
  end
  return value
end

-- NTK scaling of Alibaba-NLP's NewModel: theta grows by the factor, and all angles are divided by a root of it, as
-- linear scaling divides them.
function conversions.ntk(value)
  if value ~= "ntk" then return nil, '"ntk"' end
  return "linear"
end

function conversions.ntk_factor(value, context)
  local made = context.made
  if type(value) ~= "number" or value < 1 or not is_count(made.d_model) or not is_count(made.n_heads) then
    return nil, "a number from 1"
  end
  return elementary.exp2(elementary.log(value) / elementary.ln2 * 2 * made.n_heads / made.d_model)
end

function conversions.ntk_theta(value, context)
  local factor = context.get("rope_scaling.factor")
  return type(value) == "number" and type(factor) == "number" and value * factor or value
end

-- A count, of which 0 is none.
function conversions.some(value)
  if value == 0 then return nil end
  return value
end

-- The positions of training, from which all kinds of scaling count but linear.
function conversions.original_positions(value, context)
  local kind = context.made["rope.scaling"]
  if not kind or kind == "linear" then return nil end
  local longest = context.get("max_position_embeddings")
  if kind == "dynamic" and value ~= longest then
    return nil, ("%s, as max_position_embeddings: dynamic scaling counts from it"):format(json.shown(longest))
  end
  return value
end

-- How many times as long as those of training all texts may be, where longrope does not say it.
function conversions.longer_by(value, context)
  local original = context.made["rope.original_positions"]
  if context.made["rope.scaling"] ~= "longrope" or context.made["rope.factor"] or not is_count(value) or
      not is_count(original) or value <= original then
    return context.made["rope.factor"]
  end
  return value / original
end

-- -- Rotary positions of llama.cpp ------------------------------------------------------------------------------------

-- What a key says of a model whose positions are not scaled by this kind, and what was expected.
local function unscaled(value, must, kind)
  if value == must then return nil end
  return nil, ("%s: %s"):format(json.shown(must), kind and "scaling of type " .. kind .. " does not use it" or
    "rotary positions are not scaled")
end

-- The kind of scaling, row.key the factor; none where it scales by 1, which 0 stands for too.
function conversions.ggml_scaling(value, context, row)
  local factor = context.get(row.key) or 1
  if value == "none" or (value == "linear" or value == "yarn") and (factor == 1 or factor == 0) then return nil end
  if value == "longrope" then
    if context.get("(tensors).rope_factors") then return value end
    return nil, "tensors rope_factors_long.weight and rope_factors_short.weight with it"
  end
  if value ~= "linear" and value ~= "yarn" then return nil, "none, linear, yarn or longrope" end
  return value
end

-- The kind where a tensor, the value its name, has divisors.
function conversions.ggml_divided(value, context)
  local kind = context.made["rope.scaling"]
  if kind and kind ~= "longrope" then return nil, ("none: scaling of type %s has a factor"):format(kind) end
  if value == "rope_factors_short.weight" and not context.get("(tensors).rope_long_divisors") or
      value == "rope_factors_long.weight" then
    return nil, "both rope_factors_long.weight and rope_factors_short.weight"
  end
  return "longrope"
end

function conversions.ggml_factor(value, context)
  local kind = context.made["rope.scaling"]
  if kind == "linear" or kind == "yarn" then return value end
  return unscaled(value == 0 and 1 or value, 1, kind)
end

-- The positions of training where something counts from them. The context of training comes first, the key after it.
function conversions.ggml_original(value, context)
  local is_used = context.made["rope.scaling"] == "yarn" or context.get("(tensors).rope_long_divisors")
  return is_used and value or nil
end

-- The factor of cosines and sines.
function conversions.ggml_attention(value, context)
  local kind = context.made["rope.scaling"]
  if kind == "longrope" then return value end
  return unscaled(value, 1, kind)
end

-- A number that only yarn uses.
function conversions.of_yarn(value, context)
  return context.made["rope.scaling"] == "yarn" and value or nil
end

-- The same where only one value of it is made, row.must; the kind of scaling stays.
function conversions.fixed_of_yarn(value, context, row)
  local kind = context.made["rope.scaling"]
  if kind == "yarn" and value ~= row.must then return nil, json.shown(row.must) end
  return kind
end

-- How many dimensions of a head rotate, of a part of it.
function conversions.rotary_dim(value, context)
  local made = context.made
  local width = made.d_head or is_count(made.d_model) and is_count(made.n_heads) and made.d_model / made.n_heads
  if type(value) ~= "number" or not (value > 0 and value <= 1) or not width then return nil, "a number up to 1" end
  return math.floor(width * value)
end

-- A divisor as a factor.
function conversions.inverse(value)
  if type(value) ~= "number" or value <= 0 then return nil, "a number above 0" end
  return 1 / value
end

-- A number whose root scores are divided by, as their factor.
function conversions.inverse_root(value)
  if type(value) ~= "number" or value <= 0 then return nil, "a number above 0" end
  return 1 / math.sqrt(value)
end

-- The factor of scores of the one size of a family, told by its layers, that divides them by the root of d_model by
-- heads; others divide by that of the width of a head.
function conversions.scale_of_rows(value, context, row)
  if context.made.n_layers ~= row.layers then return nil end
  return conversions.inverse_root(context.made.d_model / value)
end

-- A value, or nothing where it is false.
function conversions.unless_false(value) return value or nil end

-- A value that says once more what another field said.
function conversions.same(value, context, row)
  local made = context.made[row[2]]
  if made ~= nil and made ~= value then return nil, json.shown(made) .. ", as " .. row.as end
  return value
end

-- What is so where something is not there.
function conversions.absent(value)
  return not value
end

-- Which of q, k, v and o have a bias, by their letters, or "none".
function conversions.biases(value)
  local bias = {}
  for _, projection in ipairs({ "q", "k", "v", "o" }) do
    bias[projection] = value ~= "none" and value:find(projection, 1, true) ~= nil
  end
  return bias
end

-- Whether all linears of a feed-forward have a bias.
function conversions.ffn_biases(value)
  if value == "none" then return false end
  if value ~= "gate up down" and value ~= "up down" then return nil, "none, or those of all" end
  return true
end

-- llama.cpp's enum llama_pooling_type: none, mean, cls, last; rank is not made.
function conversions.ggml_pool(value)
  local kinds = { [0] = false, [1] = "mean", [2] = "cls", [3] = "last" }
  if kinds[value] == nil then return nil, "0 (none), 1 (mean), 2 (cls) or 3 (last)" end
  return kinds[value] or nil
end

-- The window of a file of llama.cpp, 0 for none.
function conversions.ggml_window(value)
  return conversions.window(value ~= 0 and value)
end

-- Of a decoder's logits, whose own weight is there or not: their kind, row.as, or whether they are tied; nothing where
-- rows are pooled instead.
function conversions.unless_pooled(value, context, row)
  if context.made["pool.kind"] then return nil end
  return row.as or not value
end

-- Biases of q, k and v; that of o is there in any case.
function conversions.qkv_bias(value)
  if type(value) ~= "boolean" then return nil, "true or false" end
  return { q = value, k = value, v = value, o = true }
end

-- How many classes a table of labels has, or a number of them.
function conversions.labels(value)
  if is_count(value) then return value end
  if not json.is_object(value) then return nil, "an object" end
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  return count
end

-- What sentence-transformers' CrossEncoder makes of logits, by the name of a class of torch.nn.
local SCORES = { Sigmoid = "sigmoid", Identity = "none" }

function conversions.scores(value)
  local name = type(value) == "string" and value:match("^torch%.nn%.modules%.[%l_]+%.(%a+)$")
  if not SCORES[name or ""] then
    return nil, "torch.nn.modules.activation.Sigmoid or torch.nn.modules.linear.Identity"
  end
  return SCORES[name]
end

-- Height and width of what is one number or a list of two.
local function sides(value)
  if is_count(value) then return value, value end
  if json.is_array(value) and #value == 2 and is_count(value[1]) and is_count(value[2]) then
    return value[1], value[2]
  end
end

-- Rows that an image becomes: a patch each, and row.tokens before them, of which cls is one (1 where it says none).
function conversions.patches(value, context, row)
  local height, width = sides(value)
  local rows, columns = sides(context.get("patch_size"))
  if not height then return nil, "a whole number from 1, or two" end
  if not rows or rows > height or columns > width then
    return nil, "at least patch_size (" .. json.shown(context.get("patch_size")) .. ")"
  end
  return math.floor(height / rows) * math.floor(width / columns) + (row.tokens or 1)
end

for _, more in ipairs({ layer_kinds, positions }) do
  for name, convert in pairs(more) do conversions[name] = convert end
end

return conversions
