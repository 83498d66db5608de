-- torch_transformer: torch.nn.Transformer, both of whose stacks have a norm after the last layer. Its module has no
-- embeddings: rows go in and come out.
local function side(name)
  local map = {}
  for field, tensor in pairs(require("import.maps.stack.torch_" .. name)) do
    map[field] = (field == "layer" or field:find("^final")) and name .. "." .. tensor or tensor
  end
  return map
end

return { encoder = side("encoder"), decoder = side("decoder") }
