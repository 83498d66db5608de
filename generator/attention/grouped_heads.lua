-- grouped_heads.lua: several query heads share one key and value head (GQA; MQA with one).
-- Adds no stage: the layer visits the query heads of a group while the group's keys are in cache.
local types = require "schema.types"

return {
  name = "grouped_heads",
  in_layers = true,
  fields = {
    { field = "n_kv_heads", flag = "--kv-heads", check = types.count(1, 1024), default = "n_heads",
      help = "number of key and value heads; n_heads / n_kv_heads query heads share each of them",
      group = "shape", example = "n_kv_heads = 2" },
  },
  resolve = function(spec, fail)
    spec.n_kv_heads = spec.n_kv_heads or spec.n_heads
    if spec.n_heads % spec.n_kv_heads ~= 0 then
      fail(("n_heads (%d) is not a multiple of n_kv_heads (%d)"):format(spec.n_heads, spec.n_kv_heads))
    end
  end,
  sentence = function(spec)
    if spec.n_kv_heads == spec.n_heads then return nil end
    return ("%d query heads share each of %d key and value heads"):format(
      spec.n_heads / spec.n_kv_heads, spec.n_kv_heads)
  end,
}
