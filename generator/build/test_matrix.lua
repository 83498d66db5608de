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
  programs = set({ "any_32_pool", "any_36_classifier", "any_40_tied", "any_72_4", "bert_48_4", "classifier_29",
    "classifier_40_4", "decoder_40_2", "f32_64_logits", "gpt2_48_4", "int4_36_transformer", "int4_40_decoder",
    "int4_48_4", "int4_64_logits", "int8_g32_40_classifier", "memory_mask_36_3", "no_norm_36_3", "pool_40",
    "residual_norm_45", "transformer_40_2", "transformer_attention_36_3" }),
  -- Compiling emulated kernels takes half a minute a model: heads of whole and of part vectors, masks, lengths, token
  -- ids, products of integers, of one kind and of both. None of bf16: its instructions are not emulated.
  few = set({ "causal_64_4_right", "d_head_15_120_8", "exact_10_2", "i16_300_4", "int8_39_3", "mixed_72_3",
    "odd_33_3", "tokens_96_6" }),
  -- Calls that share weights and threads, where races are looked for: each way in which layers and whole models hand
  -- parts of a call to threads (rows, heads, slices of a head, columns, an encoder's and a decoder's), with a cache and
  -- without.
  shared = set({ "bert_48_4", "cache_40_4", "gpt2_48_4", "transformer_40_2" }),
  -- Those that tests/host/linking links as users do.
  linked = set({ "causal_64_4_right", "small_24_3" }),
  -- Whose Python wheels are tested, all of them also in `check`: every intermediate, masks of either kind, a cache,
  -- token ids, and of whole models each kind.
  wheels = set({ "additive_mask_40_4", "bert_48_4", "bool_mask_44_3", "cache_40_4", "golden_maps", "llama_45_3",
    "memory_mask_40_4", "tokens_96_6", "transformer_40_2", "widths_40_4" }),
  -- Whose modules for Lua are tested: four widths and every intermediate, a mask, a cache, token ids, a whole model,
  -- and one that makes vectors of texts.
  bound = set({ "additive_mask_40_4", "bert_48_4", "cache_40_4", "tokens_96_6", "transformer_40_2", "widths_40_4" }),
  -- Of those a layer and a whole model: the thread sanitizer makes them twenty times as slow.
  raced = set({ "cache_40_4", "transformer_40_2" }),
  -- Of the widest vectors: those whose features have code of their own for whole vectors, one that ends in one, each
  -- kind of narrow products and weights in groups.
  wide = set({ "bf16_x_bf16_150_5", "bool_mask_44_3", "i16_300_4", "int4_48_4", "int8_39_3", "odd_33_3",
    "window_48_6" }),
  -- Numbers that nobody wrote are looked for in portable code: every intermediate, masks and learned keys, a cache, a
  -- stack with an encoder. And in all that valgrind can run, some fifty times as slowly.
  memory = set({ "bool_mask_44_3", "cache_48_3_window", "transformer_40_2", "widths_40_4" }),
  valgrind = set({ "bool_mask_44_3", "cache_48_3_window" }),
  -- Of another architecture, in an emulator that is some ten times as slow.
  cross = set({ "bool_mask_44_3", "cache_48_3_window" }),
  -- What docs/numbers.md has figures of, a layer or stack of each kind.
  numbers = set({ "bert_48_4", "d_head_15_120_8", "llama_45_3", "odd_33_3", "rotary_57_6", "transformer_40_2" }),
  -- A second compiler has other warnings, and other ways to be wrong, about the text of templates; what is the same
  -- text with other numbers it need not see again. Between them these use every template and every stage of the
  -- fragments, as tests/generator/test_matrix_test.lua finds; tokens_96_6 is the one whose heads are whole
  -- vectors.
  every_template = set({ "additive_mask_40_4", "any_72_4", "bert_48_4", "bf16_cache_40_4", "bf16_x_bf16_42",
    "bool_mask_44_3", "cache_40_4", "cache_48_3_window", "classifier_40_4", "embedding_42", "i16_40_decoder",
    "int4_40_decoder", "int8_300_logits", "int8_39_3", "int8_cache_40_4", "int8_g32_48_4", "int8_x_int4_42",
    "llama_45_3", "mask_fill_24_2", "memory_mask_40_4", "mixed_72_3", "residual_norm_45", "rotary_57_6", "sdpa_6_13",
    "tokens_96_6", "transformer_40_2", "widths_40_4", "window_40_5_both" }),
  -- What `ninja check` is about besides the configured models: between them every template and every fragment, and of
  -- whole models each kind: one as BERT is built, one as Llama is, a transformer. Those named above are small.
  check = set({ "additive_mask_40_4", "any_72_4", "bert_48_4", "bf16_cache_40_4", "bf16_x_bf16_42", "bool_mask_44_3",
    "cache_40_4", "cache_48_3_window", "classifier_40_4", "embedding_42", "golden_causal", "golden_maps",
    "i16_40_decoder", "int4_40_decoder", "int8_300_logits", "int8_39_3", "int8_cache_40_4", "int8_g32_48_4",
    "int8_x_int4_42", "llama_45_3", "mask_fill_24_2", "memory_mask_40_4", "mixed_48_decoder", "mixed_72_3",
    "residual_norm_45", "rotary_57_6", "sdpa_6_13", "tokens_96_6", "transformer_40_2", "widths_40_4", "window_40_5_both"
    }),
  -- Of these, what `ninja check` has both Luas generate: between them most of the text of templates.
  both_luas = set({ "bool_mask_44_3", "cache_48_3_window", "llama_45_3", "transformer_40_2" }),
  -- Whose results have a row in tests/bits/bits.txt, besides those that use every template: of layers and whole models
  -- the other kinds, each format of numbers alone and in a stack, caches in each format, tokens one after the other.
  bits = set({ "activations_36_4", "any_32_pool", "attention_bf16_3_40", "attention_i16_2_36", "attention_int8_3_38",
    "bf16_40_decoder", "bf16_48_4", "bf16_cache_48_decoder", "bf16_x_bf16_150_5", "classifier_29", "d_head_15_120_8",
    "decoder_40_2", "encoder_1_1", "encoder_attention_36_6", "gated_48", "gpt2_48_4", "i16_300_4",
    "int4_36_transformer", "int4_64_logits", "int8_64_encoder", "int8_cache_48_decoder", "int8_g32_40_classifier",
    "int8_x_g32_150_5", "int8_x_int4_74_3", "logits_33", "mask_fill_36_decoder", "memory_mask_36_3", "mixed_48_decoder",
    "odd_33_3", "uniform_28_encoder", "window_48_6" }),
  -- Few enough that each is met often, small enough that a round takes milliseconds, and between them every template:
  -- windows, slopes and sinks, masks of either kind, rotary places, shared key heads, caps, shared projections, other
  -- widths, attention alone, and of whole models each kind, ragged and pooled, with memory, with a cache, without
  -- layers.
  soak = set({ "additive_mask_40_4", "any_72_4", "bert_48_4", "bf16_cache_40_4", "bf16_x_bf16_42", "bool_mask_44_3",
    "cache_40_4", "cache_48_3_window", "classifier_40_4", "decoder_40_2", "embedding_42", "i16_40_decoder",
    "int4_40_decoder", "int8_300_logits", "int8_39_3", "int8_cache_40_4", "int8_g32_48_4", "int8_x_int4_42",
    "llama_45_3", "mask_fill_24_2", "memory_mask_36_3", "memory_mask_40_4", "mixed_72_3", "no_bias_48_3",
    "residual_norm_45", "rotary_57_6", "sdpa_6_13", "tokens_96_6", "transformer_40_2", "widths_40_4",
    "window_40_5_both", "window_48_6" }),
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
