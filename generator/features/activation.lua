-- activation.lua: activations after projections, which this generator does not make yet: refused by name.
return {
  name = "activation",
  fields = {
    { field = "activation", check = function()
      return nil, "is not generated yet: projections are linear"
    end },
  },
}
