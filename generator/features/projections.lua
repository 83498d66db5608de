-- projections.lua: which projections a layer has, and how wide the rows are that go in and come out. Adds no stage: the
-- planner makes a product for each width of input, and none for the output where heads side by side are the output.
local text = require "base.text"
local types = require "spec.types"

local width = types.count(1, 65536)

local function width_field(name, flag, default, help)
  return {
    field = name, flag = flag, value = "N", check = width, parse = types.to_number, default = default, help = help,
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
    { field = "projections", flag = "--projections", value = "qkvo|qkv", check = types.choice({ "qkvo", "qkv" }),
      parse = function(word) return word end, default = "qkvo",
      help = "qkv: no output projection, the output is the heads side by side" },
    width_field("k_dim", "--k-dim", "d_model", "width of a row of key"),
    width_field("v_dim", "--v-dim", "d_model", "width of a row of value"),
    width_field("d_out", "--d-out", "d_model", "width of a row of the output"),
  },
  resolve = function(spec, fail)
    spec.projects = { q = true, k = true, v = true, o = spec.projections ~= "qkv" }
    spec.k_dim, spec.v_dim = spec.k_dim or spec.d_model, spec.v_dim or spec.d_model
    if spec.projects.o then
      spec.d_out = spec.d_out or spec.d_model
    else
      check_absent_output(spec, fail)
      spec.d_out = spec.n_heads * spec.d_head
    end
    local others = other_inputs(spec)
    if spec.vocab_size and #others > 0 then
      fail(("vocab_size (%d) makes one input of token ids, but d_model (%d) differs from %s"):format(
        spec.vocab_size, spec.d_model, text.join(others)))
    end
  end,
  sentence = function(spec)
    local parts = {}
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
