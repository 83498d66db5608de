-- features/init.lua: the features a spec can ask for, in the order their fields are read, printed and spliced.
-- Knows none of them by more than its file's name. A feature is a table with:
--   name                       its own name, for messages
--   fields                     spec fields it owns (see spec/fields.lua); a dot means a field of a table field
--   resolve(spec, fail)        fills defaults and reports contradictions through fail(message)
--   roles(spec, add)           weights it needs: add(role name, shape)
--   packed(spec, add, d_head_pad)   parts of the packed weights that its fragment of stage `pack` fills: add(name,
--                              floats); d_head_pad: a head's dimensions up to whole vectors
--   splices(spec)              { ["stage"] = template } put into the layer where it is on, nil where it is off
--   helpers(spec)              vector helpers it needs beyond the usual ones: names of isa extras, nil for none
--   sentence(spec)             what `info` says of it, nil for nothing
-- Everything but the name is optional. In resolve, a feature that works on scores in natural units (in score_row) sets
-- spec.natural_scores, one whose rows may not see their first keys (in key_range it sets b->first) spec.late_keys, one
-- that puts a vector of scores of no key behind each row (append_scores) spec.appends_scores. One by which keys of a
-- row's range may have a weight of zero, or all of them, sets spec.zero_weights, and spec.reaches_all too if a row may
-- give weight to keys outside its range (row_reaches says when, reach_all how). A fragment of score_row goes over the
-- keys row_begin .. n - 1; a number in natural units is score_units(x) there.
local features = {}

for _, name in ipairs({
  "grouped_heads", "projections", "bias", "scale", "causal", "softcap", "alibi", "relative_bias", "window", "sinks",
  "lengths", "mask_tensor", "mask_fill", "masked_row", "activation", "projected_outputs", "qk_norm", "rope", "dropout",
  "outputs", "attention_mean", "extra_keys", "cache", "embedding", "weight_maps",
}) do
  features[#features + 1] = require("features." .. name)
end

return features
