// test_load_prefix.c: names of weights after a prefix, as the layers of a whole model have them: found where it is
// said, and said where it is not.
#include "load_fixture.h"

// As of a spec with a weights_prefix: what stands beside the layer has none.
static const struct ga_weight_source inner[N_ROLES] = {
    {.role = Q_WEIGHT, .tensor = "h.3.w_q.weight", .rank = 2, .shape = {OUT, IN}},
    {.role = Q_BIAS, .tensor = "h.3.w_q.bias", .rank = 1, .shape = {OUT}},
    {.role = K_WEIGHT, .tensor = "h.3.w_k.weight", .rank = 2, .shape = {OUT, IN}},
    {.role = K_BIAS, .tensor = "k_bias", .rank = 1, .shape = {OUT}, .beside = true},
};
static const struct ga_weight_refused inner_refused[] = {{"v_bias", "h.3.w_v.bias", false}};
static const struct ga_weight_map inner_maps[] = {
    {.name = "inner", .sources = inner, .refused = inner_refused, .n_refused = 1, .prefix = "h.3."}};

static const struct ga_model prefixed = {MODEL, .maps = inner_maps, .n_maps = 1};

#define LAYER(prefix)                                                                 \
    {prefix "w_q.weight", "F32", 2, {OUT, IN}}, {prefix "w_q.bias", "F32", 1, {OUT}}, \
    {                                                                                 \
        prefix "w_k.weight", "F32", 2,                                                \
        {                                                                             \
            OUT, IN                                                                   \
        }                                                                             \
    }
#define K_BIAS_AT(name) \
    {                   \
        name, "F32", 1, \
        {               \
            OUT         \
        }               \
    }

static const struct {
    const char *name;
    const struct ga_model *model;
    struct entry entries[MAX_ENTRIES + 5];
    const char *layout, *prefix;
    float first;          // of q_weight, where it loads
    const char *expected; // of the message, where it does not
} after[] = {
    {"the spec's own", &prefixed, {LAYER("h.3."), K_BIAS_AT("k_bias"), LAYER("h.4.")}, NULL, NULL, 0, NULL},
    {"another", &prefixed, {LAYER("h.3."), K_BIAS_AT("k_bias"), LAYER("h.4.")}, NULL, "h.4.", 16, NULL},
    {"none", &prefixed, {K_BIAS_AT("k_bias"), LAYER("")}, NULL, "", 2, NULL},
    {"where the spec has none", &any, {LAYER("a/b."), K_BIAS_AT("a/b.w_k.bias")}, NULL, "a/b.", 0, NULL},
    {"said where all is after one",
     &any,
     {LAYER("a."), K_BIAS_AT("a.w_k.bias"), LAYER("b."), K_BIAS_AT("b.w_k.bias")},
     NULL,
     NULL,
     0,
     "no tensor 'w_q.weight', which map 'plain' expects as [2, 3] for q_weight; it has all that map 'plain' takes "
     "after 'a.' (the first of 2 such prefixes): say --weights-prefix, or weights_prefix in the spec"},
    {"said of the map that is there, though another has more names in the file",
     &any,
     {{"x.c_attn.weight", "F32", 2, {IN, 2 * OUT}}, {"x.c_attn.bias", "F32", 1, {2 * OUT}}, K_BIAS_AT("w_k.bias")},
     NULL,
     NULL,
     0,
     "it has all that map 'transposed' takes after 'x.': say"},
    {"said of the map asked for alone",
     &any,
     {{"x.c_attn.weight", "F32", 2, {IN, 2 * OUT}}, {"x.c_attn.bias", "F32", 1, {2 * OUT}}},
     "plain",
     NULL,
     0,
     "no tensor 'w_q.weight', which map 'plain' expects as [2, 3] for q_weight; the file has 2 tensors"},
    {"said instead of a wrong one",
     &prefixed,
     {LAYER("h.4."), K_BIAS_AT("k_bias")},
     NULL,
     "h.5.",
     0,
     "no tensor 'h.5.w_q.weight', which map 'inner' expects as [2, 3] for q_weight; it has all that map 'inner' takes "
     "after 'h.4.'"},
    {"not said where a name is missing", &any, {LAYER("a.")}, NULL, NULL, 0, "nearest is 'a.w_q.weight'"},
    {"refused weights have it too",
     &prefixed,
     {LAYER("h.4."), K_BIAS_AT("k_bias"), K_BIAS_AT("h.4.w_v.bias")},
     NULL,
     "h.4.",
     0,
     "tensor 'h.4.w_v.bias', byte 406: is v_bias under map 'inner'"},
};

Test(load, names_are_looked_for_behind_a_prefix)
{
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        struct ga_weights *weights = weights_of(after[i].entries);
        const struct ga_load_options options = {.layout = after[i].layout, .prefix = after[i].prefix};
        struct ga_weight_view views[N_ROLES];
        struct ga_error error = {.text = ""};
        const enum ga_status status = ga_load_views_with(after[i].model, weights, &options, views, &error);
        cr_expect_eq(status == GA_OK, after[i].expected == NULL, "%s: '%s'", after[i].name, error.text);
        if (status == GA_OK) {
            cr_expect_eq(views[Q_WEIGHT].data[0], after[i].first, "%s: %g", after[i].name,
                         (double)views[Q_WEIGHT].data[0]);
        } else {
            cr_expect_not_null(strstr(error.text, after[i].expected), "%s: '%s'", after[i].name, error.text);
        }
        ga_weights_close(weights);
    }
}

Test(load, a_prefix_longer_than_any_name_is_refused)
{
    static const struct entry entries[MAX_ENTRIES] = {PLAIN};
    static char prefix[258];
    struct ga_weights *weights = weights_of(entries);
    const struct ga_load_options options = {.prefix = prefix};
    struct ga_error error = {.text = ""};
    memset(prefix, 'n', 257);
    cr_expect_eq(ga_load_check(&any, weights, &options, &error), GA_ARGUMENT);
    cr_expect_not_null(strstr(error.text, "a prefix of 257 bytes; expected at most 256"), "'%s'", error.text);
    prefix[256] = '\0';
    cr_expect_eq(ga_load_check(&any, weights, &options, &error), GA_MISSING);
    ga_weights_close(weights);
}
