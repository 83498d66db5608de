-- extra_logits.lua: finite scores of no key of the sequence after each row, alone in whole vectors, so that what a
-- row sums up to does not depend on where its keys end. Features that have such scores ask for it with their number.

return {
  name = "extra_logits",
  on = function(spec) return spec.n_extra_logits end,
}
