// test_cost.c: how many bytes of packed weights a call reads, and how many flops it takes, of models made up here.
#include <criterion/criterion.h>

#include "cost.h"

enum { VOCABULARY = 1000, WIDTH = 64 };
static const double LAYERS = 12345, ELEMENTS = 1000.0 * 64.0;

// Bytes that a call without logits reads of a decoder whose packed weights are LAYERS bytes beside those of its
// embedding and of logits, which are `beside` bytes; logits have a transform or none.
static double read_of(bool tied, enum ga_activation transform, enum ga_storage kept, enum ga_arithmetic logits,
                      double beside, size_t logit_rows)
{
    const struct ga_stack stack = {.n_logits = VOCABULARY, .logits_tied = tied, .logits_transform = transform};
    const struct ga_model model = {.d_model = WIDTH,
                                   .vocab_size = VOCABULARY,
                                   .stack = &stack,
                                   .weights_dtype = kept,
                                   .embedding_dtype = GA_F32,
                                   .arithmetic[GA_LINEAR_LOGITS] = logits};
    const struct ga_variant variant = {.packed_bytes = (size_t)(LAYERS + beside)};
    const struct ga_call_size size = {.batch = 1, .q_len = 1, .kv_len = 1, .logit_rows = logit_rows};
    return ga_cost_weight_bytes(&model, &variant, &size);
}

Test(cost, logits_that_are_not_asked_for_are_not_read_however_they_are_kept)
{
    const double groups8 = 34 / 32.0, groups4 = 18 / 32.0;
    const struct {
        bool tied;
        enum ga_storage kept;
        enum ga_arithmetic logits;
        double table, panels; // bytes of an element
    } cases[] = {
        {true, GA_STORAGE_F32, GA_ARITHMETIC_F32, 0, 4},
        {false, GA_STORAGE_F32, GA_ARITHMETIC_F32, 4, 4},
        {true, GA_STORAGE_F32, GA_ARITHMETIC_INT8, 4, 1},
        {true, GA_STORAGE_BF16, GA_ARITHMETIC_F32, 0, 2},
        {true, GA_STORAGE_F16, GA_ARITHMETIC_F32, 0, 2},
        {true, GA_STORAGE_INT8, GA_ARITHMETIC_F32, 0, groups8},
        {true, GA_STORAGE_INT4, GA_ARITHMETIC_F32, 0, groups4},
        {true, GA_STORAGE_INT4, GA_ARITHMETIC_INT8, 0, groups4},
        {false, GA_STORAGE_INT4, GA_ARITHMETIC_INT8, 4, groups4},
    };
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const size_t c = i / 2;
        const enum ga_activation transform = i % 2 == 0 ? GA_ACTIVATION_NONE : GA_ACTIVATION_GELU;
        const double panels = cases[c].panels * (ELEMENTS + (transform ? (double)(WIDTH * WIDTH) : 0));
        const double all = cases[c].table * ELEMENTS + panels;
        const double without = read_of(cases[c].tied, transform, cases[c].kept, cases[c].logits, all, 0);
        const double with = read_of(cases[c].tied, transform, cases[c].kept, cases[c].logits, all, 1);
        cr_expect_eq(without, LAYERS, "case %zu: %g bytes", i, without);
        cr_expect_eq(with, LAYERS + panels, "case %zu: %g bytes", i, with);
    }
}

Test(cost, layers_of_a_kind_count_the_keys_that_they_see)
{
    const struct ga_stack stack = {.n_layers = 3};
    const struct ga_model kinds[] = {{.window = 0}, {.window = 3, .window_both = true}};
    const uint8_t of_layer[] = {0, 1, 1};
    const struct ga_model model = {.kind = GA_ENCODER,
                                   .n_heads = 1,
                                   .d_head = 1,
                                   .d_v = 1,
                                   .stack = &stack,
                                   .layer_kinds = kinds,
                                   .kind_of_layer = of_layer};
    const struct ga_call_size size = {.batch = 1, .q_len = 10, .kv_len = 10};
    const double pairs = 100 + 2 * 44; // of ten rows those closer than 3 are 5 for each, but for the rows at the ends
    cr_expect_eq(ga_cost_flops(&model, &size), 4 * pairs, "%g flops", ga_cost_flops(&model, &size));
}
