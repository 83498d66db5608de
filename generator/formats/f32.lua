-- f32.lua: single precision, as the vectors of every instruction set hold it: nothing is converted. Its products are
-- those of a float of each row and a vector of weights, which are made floats as they are loaded, by one fused
-- multiply-add where the instruction set has it.
return {
  name = "f32", bits = 32, weights = true, rows = true, bytes = 4, type = "float", from_float = "%s", to_float = "%s",
  product = {
    attends = "", any_weights = true,
    vocabulary = function(set, W)
      local V = set.V
      return {
        name = "f32", row = { name = "floats", type = "float", bytes = 4 },
        panel = { name = W.name == "f32" and "floats" or W.name, type = W.type, bytes = W.bytes },
        unit = 1, vector = V.type, sum = V.type, splat = V.splat, load = W.load, dot = V.fmadd,
        steps = W.steps, header = W.steps and math.floor(W.steps.bytes / W.bytes) or 0,
        groups = W.group and W or nil, column_bytes = W.column_bytes_of,
        start = function() return V.zero() end,
        total = function(sum, _, _, before) return V.add(before, sum) end,
      }
    end,
  },
}
