-- qk_norm_of_rows.lua: one RMSNorm over all heads of a row of q, and one over those of k. Each head leaves the sums of
-- its rows' squares when it is projected; when all are, it is divided by what they say. Weights are qk_norm.lua's.
local qk_norm = require "attention.qk_norm"
local types = require "schema.types"

local function is_of_rows(spec)
  return spec.qk_norm and spec.qk_norm.over == "row"
end

return {
  name = "qk_norm_of_rows",
  in_layers = true,
  fields = {
    { field = "qk_norm.over", check = types.choice({ "head", "row" }), default = '`"head"`',
      help = "row: one RMSNorm over all heads of q together and one over those of k",
      group = "projections", example = 'qk_norm = { kind = "rms", over = "row" }',
      meaning = 'what one norm is over. `"row"`: all heads of a row of q together, and all of k, with a weight for ' ..
        "each of their numbers, as in OLMo 2" },
  },
  resolve = function(spec, fail)
    if not spec.qk_norm then return end
    spec.qk_norm.over = spec.qk_norm.over or "head"
    if is_of_rows(spec) and spec.qk_norm.kind ~= "rms" then
      fail('qk_norm.over ("row") is for qk_norm.kind = "rms"; LayerNorm is over each head')
    end
    spec.waits_for_heads = is_of_rows(spec)
  end,
  on = is_of_rows,
  properties = function(spec)
    local list = qk_norm.properties(spec)
    list[#list + 1] = { "qk_norm.of_rows", true }
    return list
  end,
  tensors = function(spec, _, add)
    for _, row in ipairs(is_of_rows(spec) and { { "q", spec.n_heads }, { "k", spec.n_kv_heads } } or {}) do
      local unit = row[1] == "k" and "kv_row" or "q_row"
      add({ name = row[1] .. "_squares", owner = "round", unit = unit, shape = { "heads", unit .. "s" },
        floats = row[2] })
    end
  end,
  operations = function(spec, add)
    if not is_of_rows(spec) then return end
    local squares = { "q_squares", "k_squares" }
    add("projected", { name = "squares", op = "sum", reads = { "q", "k" }, writes = squares })
    add("projected", { name = "norm_rows", op = "norm", reads = { "q", "k", squares[1], squares[2] },
      writes = { "q", "k" } })
  end,
}
