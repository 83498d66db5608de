-- learned_key.lua: a learned key and value of each head after those of each sequence. Only the key's score and the
-- value are its own; extra_keys.lua has what it shares with a key of zeros. The value joins the head's output last.
local fmt = require "base.fmt"
local types = require "schema.types"

return {
  name = "learned_key",
  fields = {
    { field = "add_bias_kv", flag = "--add-bias-kv", check = types.boolean, default = "no",
      help = "append a learned key and value to each sequence, as nn.MultiheadAttention",
      group = "scores", example = "add_bias_kv = true" },
  },
  resolve = function(spec, fail)
    if spec.add_bias_kv and spec.softcap then
      fail(("softcap (%s) is not generated for the score of the key that add_bias_kv adds"):format(
        fmt.double(spec.softcap)))
    end
  end,
  roles = function(spec, add)
    if not spec.add_bias_kv then return end
    add("bias_k", { spec.n_kv_heads * spec.d_head })
    add("bias_v", { spec.n_kv_heads * spec.d_head })
  end,
  -- Each head begins at a whole vector.
  packed = function(spec, add, d_head_pad)
    for _, name in ipairs(spec.add_bias_kv and { "bias_k", "bias_v" } or {}) do
      add(name, spec.n_kv_heads * d_head_pad,
        { { kind = "copy", role = name, rows = spec.n_kv_heads, columns = spec.d_head, stride = d_head_pad } })
    end
  end,
  on = function(spec) return spec.add_bias_kv end,
  operations = function(spec, add)
    if not spec.add_bias_kv then return end
    add("attended", { name = "extra_value", op = "sum", reads = { "scores" }, writes = {}, of_heads = true,
      weights = { "bias_v" } })
  end,
  sentence = function(spec)
    return spec.add_bias_kv and
      "a learned key and value of each head stand after those of each sequence, seen by every query" or nil
  end,
}
