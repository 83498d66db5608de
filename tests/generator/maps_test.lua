-- maps_test.lua: the maps that ship are whole, and every role lies where the layout says it does.
local fact = dofile("tests/generator/fact.lua")
local map_sources = require "plan.maps"
local fs = require "base.fs"
local maps = require "import.maps"
local spec = require "spec"

local function make(more)
  local raw = { d_model = 6, n_heads = 4, d_head = 5, n_kv_heads = 2, vocab_size = 11 }
  for key, value in pairs(more or {}) do raw[key] = value end
  return assert(spec.from_fields(raw))
end

fact.holds("every file of the folder is a map that ships, and nothing else is", function()
  for folder, is_stack in pairs({ ["generator/import/maps"] = false, ["generator/import/maps/stack"] = true }) do
    local listed = { init = true, one_bias = not is_stack, with_biases = not is_stack } -- which make maps of others
    for _, name in ipairs(maps.names(is_stack)) do
      listed[name] = true
      assert(maps.get(name, is_stack), name)
    end
    for _, file in ipairs(assert(fs.list(folder))) do
      assert(file == "stack" or listed[file:match("^(.*)%.lua$")], file)
    end
  end
  fact.equal(maps.get("custom"), nil)
  fact.equal(maps.get("init") or maps.get("one_bias"), nil)
  fact.equal(maps.get("../maps/w_o"), nil)
end)

-- A map without what only maps that ship have: names for inputs of several widths, and those of other modules.
local function as_in_a_spec(map)
  local copy = {}
  for field, tensor in pairs(map) do copy[field] = field ~= "separate" and field ~= "refuses" and tensor or nil end
  return copy
end

fact.holds("the maps that ship are maps a spec could hold", function()
  for _, name in ipairs(maps.names()) do
    local weights = as_in_a_spec(maps.get(name))
    local norm = weights.q_norm_weight and { kind = "layer", bias = weights.q_norm_bias ~= nil } or nil
    local fields = { d_model = 6, n_heads = 2, vocab_size = weights.embedding and 3, weights = weights,
      bias = weights.o_bias ~= nil, add_bias_kv = weights.bias_k ~= nil, qk_norm = norm,
      sinks = weights.sinks ~= nil, relative_bias = weights.relative_bias and { num_buckets = 4 } }
    local s, errors = spec.from_fields(fields)
    if not s then error(name .. ": " .. table.concat(errors, "\n")) end
  end
end)

-- The names of the maps that a spec is offered, on one line.
local function offered(s)
  local names = {}
  for i, entry in ipairs(s.maps) do
    names[i] = entry.name
    for _, role in ipairs(s.roles) do assert(maps.source(s, entry.map, role.name), entry.name .. " " .. role.name) end
  end
  return table.concat(names, " ")
end

fact.holds("a map is offered where it has a tensor for every role", function()
  local all, none = table.concat(maps.names(), " "), {}
  fact.equal(offered(make()), "w_o w_concat proj torch_mha llama qwen3")
  fact.equal(offered(assert(spec.from_fields({ d_model = 6, n_heads = 2, bias = false }))), all)
  for _, name in ipairs(maps.names()) do
    if name ~= "t5" and name ~= "mpt" then none[#none + 1] = name end
  end
  fact.equal(offered(assert(spec.from_fields({ d_model = 6, n_heads = 2 }))), table.concat(none, " "))
end)

-- A spec with biases where the bits of number say, q first.
local function biased(number)
  local bias = {}
  for i, p in ipairs({ "q", "k", "v", "o" }) do bias[p] = math.floor(number / 2 ^ (i - 1)) % 2 == 1 end
  return assert(spec.from_fields({ d_model = 6, n_heads = 2, bias = bias })), bias
end

fact.holds("a file must have each bias of the spec and none other, in all 16 combinations", function()
  for number = 0, 15 do
    local s, bias = biased(number)
    local roles, refused = {}, {}
    for _, role in ipairs(s.roles) do roles[role.name] = true end
    for _, entry in ipairs(maps.refused(s, maps.get("w_o"))) do
      refused[entry.role] = entry.tensor
    end
    for p, on in pairs(bias) do
      fact.equal(roles[p .. "_bias"] or false, on)
      fact.equal(refused[p .. "_bias"], not on and ("w_%s.bias"):format(p) or nil)
    end
  end
end)

-- What a map refuses of files, as words.
local function refusals(number, map)
  local list = {}
  for _, entry in ipairs(maps.refused(biased(number), map)) do list[#list + 1] = entry.role .. "=" .. entry.tensor end
  return table.concat(list, " ")
end

fact.holds("a whole model's map refuses tensors that change results and that no spec has", function()
  local list = {}
  local llama = { kind = "encoder", d_model = 16, n_heads = 2, n_layers = 2, vocab_size = 9, ["mask.causal"] = true,
    ["rope.layout"] = "interleaved", ["norm.kind"] = "rms", ["norm.place"] = "pre", ["ffn.gated"] = true,
    ["ffn.activation"] = "silu", seq_len = "1..4" }
  local s = assert(spec.from_fields(llama))
  for _, entry in ipairs(maps.refused(s, maps.get("gguf", true))) do list[entry.tensor] = entry.role end
  fact.equal(list["rope_freqs.weight"], "rope_factors")
  fact.equal(list["blk.0.attn_sinks.weight"], "layers.0.sinks")
  llama["rope.scaling"], llama["rope.divisors"], list = "longrope", { 1, 2, 3, 4 }, {}
  for _, entry in ipairs(maps.refused(assert(spec.from_fields(llama)), maps.get("gguf", true))) do
    list[entry.tensor] = entry.role
  end
  fact.equal(list["rope_freqs.weight"], nil)
  fact.equal(list["rope_factors_long.weight"], "rope_factors_long")
  list = {}
  for _, entry in ipairs(maps.refused(s, maps.get("llama", true))) do list[entry.tensor] = entry.role end
  fact.equal(list["layers.0.self_attn.sinks"], "layers.0.sinks")
end)

fact.holds("stacked biases are refused as one, or the map is not offered", function()
  fact.equal(refusals(0, maps.get("torch_mha")),
    "qkv_bias=in_proj_bias o_bias=out_proj.bias bias_k=bias_k bias_v=bias_v")
  fact.equal(refusals(8, maps.get("gpt2")), "qkv_bias=c_attn.bias")
  fact.equal(refusals(15, maps.get("vit")), "")
  for number = 0, 15 do
    local whole = number % 8 == 0 or number % 8 == 7
    fact.equal(offered((biased(number))):find("torch_mha", 1, true) ~= nil, whole)
  end
end)

fact.holds("a map without a bias refuses the one beside its weight", function()
  fact.equal(refusals(0, maps.get("t5")),
    "q_bias=q.bias k_bias=k.bias v_bias=v.bias o_bias=o.bias relative_bias=relative_attention_bias.weight")
  fact.equal(refusals(0, maps.get("mpt")), "qkv_bias=Wqkv.bias o_bias=out_proj.bias")
  fact.equal(refusals(0, { q_weight = "a", k_weight = "k.weight", v_weight = "c", o_weight = "d" }), "k_bias=k.bias")
end)

fact.holds("a map refuses what another module under its names learns", function()
  fact.equal(refusals(15, maps.get("llama")),
    "q_norm_weight=self_attn.q_norm.weight k_norm_weight=self_attn.k_norm.weight sinks=self_attn.sinks")
  local fields = { d_model = 8, n_heads = 2, bias = false }
  for _, name in ipairs({ "llama", "qwen3", "timm" }) do
    local refused = {}
    for _, entry in ipairs(maps.refused(assert(spec.from_fields(fields)), maps.get(name))) do
      refused[entry.role] = entry.tensor
    end
    assert(refused.q_norm_weight and refused.k_norm_weight, name)
  end
  fields.qk_norm = { kind = "rms" }
  for _, entry in ipairs(maps.refused(assert(spec.from_fields(fields)), maps.get("qwen3"))) do
    assert(not entry.role:find("norm", 1, true), entry.tensor)
  end
end)

-- The first error of a spec with these fields.
local function refusal(fields)
  fields.d_model, fields.n_heads = 6, 2
  local s, errors = spec.from_fields(fields)
  return s == nil and errors[1]
end

fact.holds("a map that ships but does not fit the spec is refused where it is asked for", function()
  fact.equal(refusal({ weights = "t5" }),
    'weights "t5" names no tensor for q_bias, k_bias, v_bias and o_bias, which this model needs')
  fact.equal(refusal({ weights = "torch_mha", bias = { k = false } }),
    'weights "torch_mha" names no tensor for q_bias and v_bias, which this model needs: in_proj_bias stacks the ' ..
    "biases of q, k and v, but bias is not on for all three")
  fact.equal(refusal({ weights = "t5", bias = false }), false)
end)

fact.holds("a prefix of weights is the start of a name", function()
  local needed = "weights_prefix must be the start of a tensor's name (letters, digits and _ . / -, at most 100), " ..
    "found "
  fact.equal(refusal({ weights_prefix = "layer 3." }), needed .. '"layer 3."')
  fact.equal(refusal({ weights_prefix = ("n"):rep(101) }), needed .. '"' .. ("n"):rep(64) .. '..."')
  fact.equal(refusal({ weights_prefix = "h.0.attn." }), false)
end)

fact.holds("a custom map comes first and is the default", function()
  local s = make({ bias = false, weights = { q_weight = "a", k_weight = "b", v_weight = "c",
    o_weight = "d", embedding = "e" } })
  fact.equal(s.maps[1].name, "custom")
  fact.equal(s.default_map, "custom")
  fact.equal(#s.maps, 1 + 6)
end)

fact.holds("a tensor of its own goes before a stacked one", function()
  local map, s = { qkv_weight = "all", k_weight = "own" }, biased(15)
  local tensor, stacked = maps.source(s, map, "k_weight")
  assert(tensor == "own" and stacked == false)
  tensor, stacked = maps.source(s, map, "q_weight")
  assert(tensor == "all" and stacked == true)
  fact.equal(maps.source(s, map, "o_weight"), nil)
  fact.equal(maps.source(s, map, "q_bias"), nil)
end)

fact.holds("weights over inputs of several widths are apart, their biases stacked as ever", function()
  local map, s = maps.get("torch_mha"), assert(spec.from_fields({ d_model = 8, n_heads = 1, v_dim = 6 }))
  for role, tensor in pairs({ q_weight = "q_proj_weight", v_weight = "v_proj_weight", k_bias = "in_proj_bias" }) do
    fact.equal(maps.source(s, map, role), tensor)
  end
  fact.equal(maps.source(s, { qkv_weight = "all" }, "q_weight"), nil)
end)

-- -- Where roles lie ------------------------------------------------------------------------------------------------

local function size(shape)
  return shape[1] * (shape[2] or 1)
end

-- The elements of a tensor that a role reads, as a set added to `taken`; each may be taken once.
local function take_elements(taken, s, source)
  local rows, columns = s.roles[source.role + 1].shape[1], s.roles[source.role + 1].shape[2] or 1
  local file_columns = source.shape[2] or 1
  for o = 0, rows - 1 do
    for i = 0, columns - 1 do
      local at = source.first + (source.transposed and i * file_columns + o or o * file_columns + i)
      assert(not taken[at], "element read twice")
      taken[at] = true
    end
  end
end

-- All tensors of a map are read whole, no element twice.
local function covers(s, map)
  local tensors, order = {}, {}
  for _, source in ipairs(map_sources(s, map)) do
    local tensor = tensors[source.tensor]
    if not tensor then
      tensor = { taken = {}, size = size(source.shape) }
      tensors[source.tensor], order[#order + 1] = tensor, source.tensor
    end
    fact.equal(size(source.shape), tensor.size)
    take_elements(tensor.taken, s, source)
  end
  for _, name in ipairs(order) do
    for at = 0, tensors[name].size - 1 do assert(tensors[name].taken[at], name .. " has an element nobody reads") end
  end
  return #order
end

fact.holds("every element of every tensor is read once, stacked and transposed or not", function()
  local s = make()
  fact.equal(covers(s, maps.get("w_o")), 9)
  fact.equal(covers(s, maps.get("torch_mha")), 5)
  for _, transposed in ipairs({ true, false }) do
    local stacked = { qkv_weight = "w", qkv_bias = "b", o_weight = "ow", o_bias = "ob", embedding = "e",
      transposed = transposed }
    fact.equal(covers(s, stacked), 5)
  end
end)

fact.holds("a prefix stands before the names of a layer, not before the embedding", function()
  local s = make({ bias = { o = false }, weights_prefix = "h.1." })
  local sources, refused = map_sources(s, maps.get("w_o"))
  for i, source in ipairs(sources) do
    local role = s.roles[i].name
    fact.equal(source.tensor, (role == "embedding" and "" or "h.1.") .. maps.get("w_o")[role])
  end
  fact.equal(refused[1].tensor, "h.1.w_o.bias")
end)

fact.holds("gpt2 holds q, k and v side by side by columns", function()
  local s = biased(15)
  local found = {}
  for i, source in ipairs(map_sources(s, maps.get("gpt2"))) do
    found[i] = ("%s %s %s %d"):format(source.tensor, table.concat(source.shape, "x"),
      tostring(source.transposed), source.first)
  end
  fact.lists_equal(found, {
    "c_attn.weight 6x18 true 0", "c_attn.bias 18 false 0", "c_attn.weight 6x18 true 6", "c_attn.bias 18 false 6",
    "c_attn.weight 6x18 true 12", "c_attn.bias 18 false 12", "c_proj.weight 6x6 true 0", "c_proj.bias 6 false 0",
  })
end)

fact.holds("transposed turns linears around, not biases and not the embedding", function()
  local s = make()
  local by_role = {}
  local map = { qkv_weight = "w", qkv_bias = "b", o_weight = "ow", o_bias = "ob", embedding = "e", transposed = true }
  for i, source in ipairs(map_sources(s, map)) do
    by_role[s.roles[i].name] = ("%s %s %d"):format(table.concat(source.shape, "x"), source.transposed, source.first)
  end
  fact.equal(by_role.q_weight, "6x40 true 0")
  fact.equal(by_role.k_weight, "6x40 true 20")
  fact.equal(by_role.v_weight, "6x40 true 30")
  fact.equal(by_role.v_bias, "40 false 30")
  fact.equal(by_role.o_weight, "20x6 true 0")
  fact.equal(by_role.embedding, "11x6 false 0")
end)

fact.holds("a map of one head after another is offered where q, k and v have as many heads", function()
  local fields = { kind = "encoder", name = "tiny", d_model = 8, n_heads = 2, n_layers = 1, norm = { place = "pre" } }
  local s, heads = assert(spec.from_fields(fields)), {}
  for i, source in ipairs(map_sources(s, maps.get("gpt_neox", true))) do
    heads[s.roles[i].name] = ("%d from %d"):format(source.by_head, source.first)
  end
  fact.equal(heads["layers.0.k_weight"] .. ", " .. heads["layers.0.v_bias"] .. ", " .. heads["layers.0.o_weight"],
    "2 from 64, 2 from 16, 0 from 0")
  fields.n_kv_heads = 1
  local shared = assert(spec.from_fields(fields))
  for _, entry in ipairs(shared.maps) do assert(entry.name ~= "gpt_neox") end
end)

fact.holds("stacked tensors hold q, k and v by rows", function()
  local s = make()
  local first = {}
  for i, source in ipairs(map_sources(s, maps.get("torch_mha"))) do first[s.roles[i].name] = source.first end
  assert(first.q_weight == 0 and first.k_weight == 20 * 6 and first.v_weight == 30 * 6)
  assert(first.q_bias == 0 and first.k_bias == 20 and first.v_bias == 30)
end)

fact.finish()
