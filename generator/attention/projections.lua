-- projections.lua: which projections a layer has, and how wide the rows are that go in and come out. The planner makes
-- a product for each width of input, and none for the output where heads side by side are the output. Attention alone
-- (kind = "sdpa") has none: heads are taken as they are given, and go out, once attended, as heads again.
local modifiers = require "attention.modifiers"
local text = require "base.text"
local types = require "schema.types"

local width = types.count(1, 65536)

local function width_field(name, flag, default, help, example)
  return {
    field = name, flag = flag, value = "N", check = width, parse = types.to_number, default = default, help = help,
    group = "shape", example = example,
  }
end

-- A field as the spec was written, nil where it was not given.
local function given(spec, field)
  for _, entry in ipairs(spec.given) do
    if entry.field == field then return entry.value end
  end
end

-- Fields that speak of the output projection where there is none.
local function check_absent_output(spec, fail)
  for _, field in ipairs({ "bias", "activation" }) do
    local value = given(spec, field)
    if type(value) == "table" and value.o and value.o ~= "none" then
      fail(('%s names o, but projections = "qkv" has no output projection'):format(field))
    end
  end
  if given(spec, "d_out") then
    fail(('d_out (%d) is given, but with projections = "qkv" the output is n_heads x d_head (%d) wide'):format(
      given(spec, "d_out"), spec.n_heads * spec.d_head))
  end
end

-- Fields that speak of projections, where heads come as they are.
local OF_PROJECTIONS = {
  "projections", "heads", "bias", "activation", "k_dim", "v_dim", "d_out", "vocab_size", "weights", "add_bias_kv",
}

-- Fields that bring weights or tables of their own, or change heads before attention; of a table the table's name.
local WEIGHED = { rope = true, qk_norm = true, sinks = true }
for _, modifier in ipairs(modifiers) do
  for _, field in ipairs(modifier.weights and modifier.fields or {}) do WEIGHED[field.field:match("^[^.]+")] = true end
end

-- kind = "sdpa": a row of all heads together is as wide as they are, in and out.
local function resolve_none(spec, fail)
  for _, field in ipairs(OF_PROJECTIONS) do
    if given(spec, field) then fail(('%s is given, but kind = "sdpa" has no projections'):format(field)) end
  end
  for _, entry in ipairs(spec.given) do
    local group = entry.field:match("^[^.]+")
    if WEIGHED[group] and entry.value then
      fail(('%s is given, but kind = "sdpa" has no weights, and takes heads as they are'):format(entry.field))
    end
  end
  if spec.d_model ~= spec.n_heads * spec.d_head then
    fail(('d_model (%d) is not n_heads x d_head (%d), which kind = "sdpa" makes it'):format(
      spec.d_model, spec.n_heads * spec.d_head))
  end
  spec.d_v, spec.shared_heads = spec.d_v or spec.d_head, false
  spec.projects = { q = false, k = false, v = false, o = false }
  spec.k_dim, spec.v_dim = spec.n_kv_heads * spec.d_head, spec.n_kv_heads * spec.d_v
  spec.d_out = spec.n_heads * spec.d_v
end

-- heads = "shared" splits rows as they come in, so they must be as wide as their heads.
local function check_split(spec, fail)
  local rows = { { "d_model", "n_heads" }, { "k_dim", "n_kv_heads" }, { "v_dim", "n_kv_heads" } }
  for _, row in ipairs(rows) do
    local wide, heads = spec[row[1]], spec[row[2]]
    if wide ~= heads * spec.d_head then
      fail(('heads = "shared" splits rows, but %s (%d) is not %s x d_head (%d x %d)'):format(
        row[1], wide, row[2], heads, spec.d_head))
    end
  end
end

-- Inputs that are not as wide as the query: { name, width }.
local function other_inputs(spec)
  local list = {}
  for _, name in ipairs({ "k_dim", "v_dim" }) do
    if spec[name] ~= spec.d_model then list[#list + 1] = ("%s (%d)"):format(name, spec[name]) end
  end
  return list
end

return {
  name = "projections",
  fields = {
    { field = "projections", flag = "--projections", check = types.choice({ "qkvo", "qkv" }), default = "qkvo",
      help = "qkv: no output projection; the output is the concatenated heads",
      group = "projections", example = 'projections = "qkv"',
      meaning = '`"qkv"`: there is no output projection; the output is the concatenated heads' },
    { field = "heads", flag = "--heads-as", check = types.choice({ "split", "shared" }), default = "split",
      help = "shared: rows are split into heads first, and all heads share one d_head x d_head linear",
      group = "projections", example = 'heads = "shared"',
      meaning = '`"shared"`: rows are split into heads first, and all heads share one linear of d_head x d_head' },
    width_field("d_v", "--d-v", "d_head", "width of one head of value, where kind is sdpa", 'kind = "sdpa", d_v = 32'),
    width_field("k_dim", "--k-dim", "d_model", "width of a row of key", "k_dim = 768"),
    width_field("v_dim", "--v-dim", "d_model", "width of a row of value", "v_dim = 768"),
    width_field("d_out", "--d-out", "d_model", "width of a row of the output", "d_out = 256"),
  },
  resolve = function(spec, fail)
    if spec.kind == "sdpa" then return resolve_none(spec, fail) end
    if spec.d_v then fail(('d_v (%d) needs kind = "sdpa"; a layer projects values to d_head'):format(spec.d_v)) end
    spec.d_v = spec.d_head
    spec.projects = { q = true, k = true, v = true, o = spec.projections ~= "qkv" }
    spec.k_dim, spec.v_dim = spec.k_dim or spec.d_model, spec.v_dim or spec.d_model
    if spec.projects.o then
      spec.d_out = spec.d_out or spec.d_model
    else
      check_absent_output(spec, fail)
      spec.d_out = spec.n_heads * spec.d_head
    end
    spec.shared_heads = spec.heads == "shared"
    if spec.shared_heads then check_split(spec, fail) end
    local others = other_inputs(spec)
    if spec.vocab_size and #others > 0 then
      fail(("vocab_size (%d) makes one input of token ids, but d_model (%d) differs from %s"):format(
        spec.vocab_size, spec.d_model, text.join(others)))
    end
  end,
  sentence = function(spec)
    local parts = {}
    if spec.kind == "sdpa" then
      return "attention alone: heads of query, key and value are given, nothing is projected" ..
        (spec.d_v ~= spec.d_head and (", heads of value are %d wide"):format(spec.d_v) or "")
    end
    if spec.shared_heads then
      local says = "rows are split into heads first; one linear of %d x %d for each of q, k and v serves all heads"
      parts[1] = says:format(spec.d_head, spec.d_head)
    end
    if spec.k_dim ~= spec.d_model then parts[#parts + 1] = ("rows of key are %d wide"):format(spec.k_dim) end
    if spec.v_dim ~= spec.d_model then parts[#parts + 1] = ("rows of value are %d wide"):format(spec.v_dim) end
    if not spec.projects.o then
      parts[#parts + 1] = ("there is no output projection: the output is the heads side by side, %d wide"):format(
        spec.d_out)
    elseif spec.d_out ~= spec.d_model then
      parts[#parts + 1] = ("rows of the output are %d wide"):format(spec.d_out)
    end
    return #parts > 0 and table.concat(parts, "; ") or nil
  end,
}
