-- embedding.lua: the model may be given token ids; their rows of an embedding are gathered as the layer's input.
local formats = require "formats"
local dtypes = require "schema.dtypes"
local types = require "schema.types"

local KEPT = { bf16 = ", which is kept as bf16", int8 = ", whose rows are kept as int8 with a scale for each row" }

local SHARED = "token ids below %d are looked up in the embedding, which is kept as %s in the panels of logits"

return {
  name = "embedding",
  of_rows = true,
  looked_up = { "embedding" }, beside = { "embedding" },
  fields = {
    { field = "vocab_size", flag = "--vocab-size", check = types.count(1, 16777216), default = "none",
      help = "rows of the embedding: the model then also takes token ids",
      group = "calls", example = "vocab_size = 30522" },
  },
  -- spec.embedding_dtype: what rows of the table are kept as.
  resolve = function(spec, fail)
    local named = type(spec.dtype) == "table" and spec.dtype[dtypes.TABLE] or nil
    spec.embedding_dtype = named or "f32"
    if named and not spec.vocab_size then
      fail(('dtype.embedding = "%s" is given, but there is no vocab_size, and so no table of token rows: give ' ..
        "vocab_size, or leave dtype.embedding out"):format(named))
    end
  end,
  on = function(spec) return spec.vocab_size end,
  roles = function(spec, add)
    if spec.vocab_size then add("embedding", { spec.vocab_size, spec.d_model }) end
  end,
  packed = function(spec, add)
    if spec.vocab_size then
      formats.add_rows(add, "embedding", spec.vocab_size, spec.d_model, spec.embedding_dtype)
    end
  end,
  properties = function(spec)
    return { { "embedding_dtype", spec.vocab_size and formats.enum_of_rows(spec.embedding_dtype) } }
  end,
  sentence = function(spec)
    if not spec.vocab_size then return nil end
    local is_shared = spec.own_token_table == false and spec.embedding_dtype ~= "f32"
    if is_shared then return SHARED:format(spec.vocab_size, spec.embedding_dtype) end
    return ("token ids below %d are looked up in the embedding%s"):format(spec.vocab_size,
      KEPT[spec.embedding_dtype] or "")
  end,
}
