-- attention/init.lua: the features a spec can ask for, in the order their fields are read, printed and spliced: those
-- listed here, and the score modifiers, which are found in their folder (modifiers/init.lua) and say after which of
-- these they come (order.lua). Knows none of them by more than its file's name. A feature is a table with:
--   name                       its own name, for messages
--   fields                     spec fields it owns (see schema/fields.lua); a dot means a field of a table field
--   resolve(spec, fail)        fills defaults and reports contradictions through fail(message)
--   check(spec, fail)          contradictions that show only when all layers and their weights are known
--   roles(spec, add)           weights it needs: add(role name, shape, is_shared); is_shared: all layers of a stack
--                              have one, outside the layers
--   looked_up, beside          names of roles of it: that no file holds transposed, as rows are looked up in them; that
--                              weights_prefix does not stand before. Those of score modifiers are all such tables
--   packed(spec, add, d_head_pad, plan)   its parts of the packed weights: add(name, count, fills, type), type: of
--                              elements, f32 where nil; fills: what they are packed from (ops/init.lua); d_head_pad:
--                              a head's dimensions up to whole vectors; plan: sizes of the layer's plan
--   properties(spec)           its fields of `struct ga_model`, as emit/initializer.lua takes them
--   on(spec)                   false or nil where its fragments are not spliced; without it they always are
--   uses                       names of features whose fragments declare what its own use
--   calls                      functions that its fragments call and those of each feature that asks for it define
--   tensors(spec, plan, add)   tensors that only it has: add(tensor), see path.lua; plan: sizes of the layer's plan
--   operations(spec, add)      what it does, as operations of the graph (ops/init.lua says what one is): add(stage,
--                              operation); stage: "projected", "multiplied" (before score modifiers), "scored",
--                              "weighed" (after softmax), "attended" or "output", whose operations change the layer's
--                              result in place. of_heads, of one that is "attended": it changes the heads' rows. A
--                              score modifier is one without saying so
--   helpers(spec)              vector helpers it needs beyond the usual ones: names of isa extras, nil for none
--   sentence(spec)             what `info` says of it, nil for nothing
--   in_layers                  true where a whole model gives its fields to the attention of its layers, as of every
--                              score modifier
--   of_decoder                 true where of a transformer only the decoder takes its fields
--   of_rows                    true where it is of a model's rows, whether these attend to each other or not
-- Everything but the name is optional.
--
-- Its fragments are in templates/attention/modifiers/<name>.c.lt, one for each stage at which it adds to the layer;
-- stages.lua is the list of stages. A stage whose text is empty for a spec adds nothing. A stage called as a part that
-- templates choose by name (softmax_block) takes its place, which one feature at most may.
--
-- What several features need is a feature without fields, which they ask for in resolve:
--   spec.key_lower_bound       rows may not see their first keys: key_range sets b->key_begin besides key_end
--   spec.nonfinite_safe        keys of a row's range may have a weight of zero, or all of them: a value that is not
--                              finite must not reach the output through them
--   spec.full_range_fallback   a row may give weight to keys outside its range: row_needs_full_range says when,
--                              use_full_range how
--   spec.waits_for_heads       what follows the projection of a head begins when all heads of its rows are projected
--   spec.score_columns         columns of products with a block's rows besides those of keys, which rows of scores
--                              must have room for
--   spec.only_floats           { what, why }: attention multiplies floats whatever the dtype says by default
--   spec.n_extra_logits        how many finite scores of no key append_extra_logits puts after a row; of one feature
--                              at most
-- What changes scores before softmax is a score modifier: a feature of attention/modifiers/, which has
--   stage score_vector         statements that change the vector x of scores at float j of row i of the block; lanes
--                              after the row's keys hold -inf and must keep it
--   stage score_row            what they need, declared before the loop over the row's vectors
-- All modifiers that are on share one loop over each row, which also finds its maximum. spec.needs_natural_scores
-- tells the planner that they work in natural units (a number x in them is score_units(x) there).
--
-- A fragment of row_bounds may move end and max.
local modifiers = require "attention.modifiers"
local order = require "attention.order"

local listed = {}

for i, name in ipairs({
  "grouped_heads", "projections", "weights_dtype", "linear_dtype", "bias", "causal", "window", "sinks", "lengths",
  "full_range_fallback", "mask_fill", "masked_row", "activation", "projected_outputs", "qk_norm",
  "qk_norm_of_rows", "rope",
  "rope_scaling", "dropout",
  "attention_output", "outputs", "attention_mean", "scores_output", "learned_key", "extra_keys", "extra_logits",
  "nonfinite_safe", "skip_zero", "key_lower_bound",
  "float_keys", "narrow_attention", "narrow_keys", "cache", "kept_steps", "kept_scales", "rounded_cache",
  "attention_dtype", "matmul", "embedding", "weight_maps",
}) do
  listed[i] = require("attention." .. name)
end

local features = order.arranged(listed, modifiers)

features.SCORE_ORDER = order.SCORE_ORDER

return features
