-- embedding.lua: the model may be given token ids; their rows of an embedding are gathered as the layer's input.
local types = require "schema.types"

return {
  name = "embedding",
  of_rows = true,
  looked_up = { "embedding" }, beside = { "embedding" },
  fields = {
    { field = "vocab_size", flag = "--vocab-size", value = "N", check = types.count(1, 16777216),
      parse = types.to_number, default = "none", help = "rows of the embedding: the model then also takes token ids",
      group = "calls", example = "vocab_size = 30522" },
  },
  roles = function(spec, add)
    if spec.vocab_size then add("embedding", { spec.vocab_size, spec.d_model }) end
  end,
  sentence = function(spec)
    return spec.vocab_size and ("token ids below %d are looked up in the embedding"):format(spec.vocab_size) or nil
  end,
}
