-- extra_keys.lua: keys in addition to those of the sequence, which every query sees, as nn.MultiheadAttention adds
-- them: a learned key and value of each head, and a key and a value of zeros. Their scores stand after those of a row's
-- own keys, so that softmax is one over both; the learned value joins the head's output at the end.
local fmt = require "base.fmt"
local types = require "schema.types"

local SENTENCES = {
  add_bias_kv = "a learned key and value of each head stand after those of each sequence, seen by every query",
  add_zero_attn = "a key and a value of zeros stand after those of each sequence, seen by every query",
}

return {
  name = "extra_keys",
  fields = {
    { field = "add_bias_kv", flag = "--add-bias-kv", value = "yes|no", check = types.boolean, parse = types.to_boolean,
      default = "no", help = "append a learned key and value to each sequence, as nn.MultiheadAttention",
      group = "scores", example = "add_bias_kv = true" },
    { field = "add_zero_attn", flag = "--add-zero-attn", value = "yes|no", check = types.boolean,
      parse = types.to_boolean, default = "no",
      help = "append a key and a value of zeros to each sequence, as nn.MultiheadAttention",
      group = "scores", example = "add_zero_attn = true" },
  },
  resolve = function(spec, fail)
    spec.extra_keys = (spec.add_bias_kv and 1 or 0) + (spec.add_zero_attn and 1 or 0)
    if spec.extra_keys > 0 then spec.n_extra_logits = spec.extra_keys end
    if spec.extra_keys > 0 and spec.uniform then
      fail(('masked_row ("uniform") is about rows that see no key, and every row sees that of %s'):format(
        spec.add_bias_kv and "add_bias_kv" or "add_zero_attn"))
    end
    if spec.extra_keys > 0 and spec.sinks then
      fail(("sinks and %s are two ways of the same, and no layer has both"):format(
        spec.add_bias_kv and "add_bias_kv" or "add_zero_attn"))
    end
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
  on = function(spec) return spec.extra_keys > 0 end,
  uses = { "outputs" },
  -- The values of such a key are added to the heads' rows where they have any.
  operations = function(spec, add)
    if spec.extra_keys == 0 then return end
    add("scored", { name = "extra_keys", op = "more scores", reads = { "q", "scores" }, writes = { "scores" },
      weights = { spec.add_bias_kv and "bias_k" or nil } })
    if spec.add_bias_kv then
      add("attended", { name = "extra_value", op = "sum", reads = { "scores" }, writes = {}, of_heads = true,
        weights = { "bias_v" } })
    end
  end,
  sentence = function(spec)
    local said = {}
    for _, field in ipairs({ "add_bias_kv", "add_zero_attn" }) do
      if spec[field] then said[#said + 1] = SENTENCES[field] end
    end
    return #said > 0 and table.concat(said, "; ") or nil
  end,
}
