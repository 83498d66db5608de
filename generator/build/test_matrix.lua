-- test_matrix.lua: the test models that are built where all of them would take minutes, as sets of their names. How
-- they are built is in test_edges.lua. The models of score modifiers (modifier_models.lua) are on those that use every
-- template, and stand in none by name.

local function set(names)
  local list = {}
  for _, name in ipairs(names) do list[name] = true end
  return list
end

local test_matrix = {
  -- Those that tests/pytorch/test_goldens.c names.
  named = set({ "golden_causal", "golden_maps" }),
  -- Models whose programs are made too, for tests/program/program_models.lua: with a cache, a memory, two sides; of
  -- rows, a residual alone; that give their attention; that pools token ids; that rank, by one label and by several;
  -- that choose dtypes; whose weights are in groups, and one of these in floats;
  -- with a mask of its memory.
  programs = set({ "any_32_pool", "any_36_labels", "any_40_tied", "any_72_4", "both_40_2", "gives_36_3",
    "int4_36_sides", "int4_40_stack", "int4_48_4", "int4_64_next", "int8_40_classes", "joined_45", "labels_29",
    "labels_40_4", "memory_40_2", "next_64", "pool_40",
    "post_48_4", "recalls_36_3", "steps_48_4", "still_36_3" }),
  -- Compiling emulated kernels takes half a minute a model: heads of whole and of part vectors, masks, lengths, token
  -- ids, products of integers, of one kind and of both. None of bf16: its instructions are not emulated.
  few = set({ "bytes_39_3", "causal_64_4_right", "exact_10_2", "mixed_72_3", "odd_33_3", "pairs_300_4",
    "ragged_120_8", "tokens_96_6" }),
  -- Calls that share weights and threads, where races are looked for: each way in which layers and whole models hand
  -- parts of a call to threads (rows, heads, slices of a head, columns, an encoder's and a decoder's), with a cache and
  -- without.
  shared = set({ "both_40_2", "cache_40_4", "post_48_4", "steps_48_4" }),
  -- Those that tests/host/linking links as users do.
  linked = set({ "causal_64_4_right", "small_24_3" }),
  -- Whose Python wheels are tested, all of them also in `check`: every intermediate, masks of either kind, a cache,
  -- token ids, and of whole models each kind.
  wheels = set({ "added_40_4", "both_40_2", "cache_40_4", "golden_maps", "masked_44_3", "post_48_4", "pre_45_3",
    "recalls_40_sides", "sides_40_4", "tokens_96_6" }),
  -- Whose modules for Lua are tested: four widths and every intermediate, a mask, a cache, token ids, a whole model,
  -- and one that makes vectors of texts.
  bound = set({ "added_40_4", "both_40_2", "cache_40_4", "post_48_4", "sides_40_4", "tokens_96_6" }),
  -- Of those a layer and a whole model: the thread sanitizer makes them twenty times as slow.
  raced = set({ "both_40_2", "cache_40_4" }),
  -- Of the widest vectors: those whose features have code of their own for whole vectors, one that ends in one, each
  -- kind of narrow products and weights in groups.
  wide = set({ "bytes_39_3", "int4_48_4", "masked_44_3", "odd_33_3", "pairs_300_4", "short_150_5", "window_48_6" }),
  -- Numbers that nobody wrote are looked for in portable code: every intermediate, masks and learned keys, a cache, a
  -- stack with an encoder. And in all that valgrind can run, some fifty times as slowly.
  memory = set({ "both_40_2", "cache_48_3_window", "masked_44_3", "sides_40_4" }),
  valgrind = set({ "cache_48_3_window", "masked_44_3" }),
  -- Of another architecture, in an emulator that is some ten times as slow.
  cross = set({ "cache_48_3_window", "masked_44_3" }),
  -- What docs/numbers.md has figures of, a layer or stack of each kind.
  numbers = set({ "both_40_2", "odd_33_3", "post_48_4", "pre_45_3", "ragged_120_8", "rotary_57_6" }),
  -- A second compiler has other warnings, and other ways to be wrong, about the text of templates; what is the same
  -- text with other numbers it need not see again. Between them these use every template and every stage of the
  -- fragments, as tests/generator/test_matrix_test.lua finds; tokens_96_6 is the one whose heads are whole
  -- vectors.
  every_template = set({ "added_40_4", "any_72_4", "both_40_2", "bytes_300_bare", "bytes_39_3", "bytes_40_cache",
    "cache_40_4", "cache_48_3_window", "filled_24_2", "halves_40_cache", "heads_6_13", "int4_40_stack", "int8_48_4",
    "joined_45", "labels_40_4", "masked_44_3", "mixed_72_3", "pairs_40_stack", "post_48_4", "pre_45_3",
    "recalls_40_sides", "rotary_57_6", "rounded4_42_stack", "rows_42", "short_42_stack", "sides_40_4", "tokens_96_6",
    "window_40_5_both" }),
  -- What `ninja check` is about besides the configured models: between them every template and every fragment, and of
  -- whole models each kind: one as BERT is built, one as Llama is, a transformer. Those named above are small.
  check = set({ "added_40_4", "any_72_4", "both_40_2", "bytes_300_bare", "bytes_39_3", "bytes_40_cache", "cache_40_4",
    "cache_48_3_window", "filled_24_2", "golden_causal", "golden_maps", "halves_40_cache", "heads_6_13",
    "int4_40_stack", "int8_48_4", "joined_45", "labels_40_4", "masked_44_3", "mixed_48_stack", "mixed_72_3",
    "pairs_40_stack", "post_48_4", "pre_45_3", "recalls_40_sides", "rotary_57_6", "rounded4_42_stack", "rows_42",
    "short_42_stack", "sides_40_4", "tokens_96_6", "window_40_5_both" }),
  -- Of these, what `ninja check` has both Luas generate: between them most of the text of templates.
  both_luas = set({ "both_40_2", "cache_48_3_window", "masked_44_3", "pre_45_3" }),
  -- Whose results have a row in tests/bits/bits.txt, besides those that use every template: of layers and whole models
  -- the other kinds, each format of numbers alone and in a stack, caches in each format, tokens one after the other.
  bits = set({ "any_32_pool", "attends_2_36", "attends_36_3", "attends_3_38", "attends_3_40", "bytes_48_memory",
    "bytes_64_stack", "filled_36_stack", "forward_48", "gates_36_4", "halves_40_stack", "halves_48_4",
    "halves_48_memory", "int4_36_sides", "int4_64_next", "int8_40_classes", "labels_29", "least_1_1", "logits_33",
    "memory_40_2", "mixed_48_stack", "odd_33_3", "pairs_300_4", "ragged_120_8", "recalls_36_3", "rounded4_74_3",
    "rounded8_150_5", "short_150_5", "steps_48_4", "uniform_28_stack", "window_48_6" }),
  -- Few enough that each is met often, small enough that a round takes milliseconds, and between them every template:
  -- windows, slopes and sinks, masks of either kind, rotary places, shared key heads, caps, shared projections, other
  -- widths, attention alone, and of whole models each kind, ragged and pooled, with memory, with a cache, without
  -- layers.
  soak = set({ "added_40_4", "any_72_4", "both_40_2", "bytes_300_bare", "bytes_39_3", "bytes_40_cache", "cache_40_4",
    "cache_48_3_window", "filled_24_2", "halves_40_cache", "heads_6_13", "int4_40_stack", "int8_48_4", "joined_45",
    "labels_40_4", "masked_44_3", "memory_40_2", "mixed_72_3", "pairs_40_stack", "plain_48_3", "post_48_4", "pre_45_3",
    "recalls_36_3", "recalls_40_sides", "rotary_57_6", "rounded4_42_stack", "rows_42", "short_42_stack", "sides_40_4",
    "tokens_96_6", "window_40_5_both", "window_48_6" }),
}

-- Rows of the table that other compilers make too: models that they compile for other tests.
test_matrix.some_bits = {}
for name in pairs(test_matrix.every_template) do
  test_matrix.bits[name], test_matrix.some_bits[name] = true, true
end

local OF_MODIFIERS = { __index = function(_, name) return name:find("^modifier_") and true or nil end }
for _, name in ipairs({ "bits", "every_template", "check", "soak", "some_bits" }) do
  setmetatable(test_matrix[name], OF_MODIFIERS)
end

return test_matrix
