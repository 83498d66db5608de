// test_load.c: name maps against files: which map is taken, where each role's elements lie, and what is said of a file
// that does not fit.
#include <stdlib.h>

#include "load_fixture.h"

// -- More models -----------------------------------------------------------------------------------------------------

static const struct ga_weight_source outside[N_ROLES] = {
    {.role = Q_WEIGHT, .tensor = "w_q.weight", .rank = 2, .shape = {OUT, IN}, .first = 1},
    {.role = Q_BIAS, .tensor = "w_q.bias", .rank = 1, .shape = {OUT}},
    {.role = K_WEIGHT, .tensor = "w_k.weight", .rank = 2, .shape = {OUT, IN}},
    {.role = K_BIAS, .tensor = "w_k.bias", .rank = 1, .shape = {OUT}},
};

static const struct ga_weight_map outside_maps[] = {{.name = "outside", .sources = outside}};
static const struct ga_weight_refused two_biases[] = {{"v_bias", "w_v.bias", false}, {"o_bias", "w_o.bias", false}};
static const struct ga_weight_map biased_maps[] = {
    {.name = "biased", .sources = plain, .refused = two_biases, .n_refused = 2}};

static const struct ga_model stacked_only = {MODEL, .maps = maps, .n_maps = 4, .default_map = "stacked"};
static const struct ga_model wrong_default = {MODEL, .maps = maps, .n_maps = 4, .default_map = "stakced"};
static const struct ga_model broken = {MODEL, .maps = outside_maps, .n_maps = 1};
static const struct ga_model biased = {MODEL, .maps = biased_maps, .n_maps = 1};
static const struct ga_model mapless = {MODEL};

// q, k and v of one head after another, one row each; v is of no role.
#define HEAD_BY_HEAD(heads)                                                                                      \
    {                                                                                                            \
        {.role = Q_WEIGHT, .tensor = "qkv.weight", .rank = 2, .shape = {3 * OUT, IN}, .by_head = (heads)},       \
            {.role = Q_BIAS, .tensor = "qkv.bias", .rank = 1, .shape = {3 * OUT}, .by_head = OUT},               \
            {.role = K_WEIGHT,                                                                                   \
             .tensor = "qkv.weight",                                                                             \
             .rank = 2,                                                                                          \
             .shape = {3 * OUT, IN},                                                                             \
             .first = OUT * IN,                                                                                  \
             .by_head = OUT},                                                                                    \
            {.role = K_BIAS, .tensor = "qkv.bias", .rank = 1, .shape = {3 * OUT}, .first = OUT, .by_head = OUT}, \
    }
static const struct ga_weight_source by_head[N_ROLES] = HEAD_BY_HEAD(OUT);
static const struct ga_weight_source uneven[N_ROLES] = HEAD_BY_HEAD(OUT + 1);
#define HEADED                               \
    {"qkv.weight", "F32", 2, {3 * OUT, IN}}, \
    {                                        \
        "qkv.bias", "F32", 1,                \
        {                                    \
            3 * OUT                          \
        }                                    \
    }
static const struct ga_weight_map by_head_maps[] = {{.name = "by_head", .sources = by_head}};
static const struct ga_model headed = {MODEL, .maps = by_head_maps, .n_maps = 1};
static const struct ga_weight_map uneven_maps[] = {{.name = "uneven", .sources = uneven}};
static const struct ga_model split_unevenly = {MODEL, .maps = uneven_maps, .n_maps = 1};

// -- Maps that fit --------------------------------------------------------------------------------------------------

Test(load, the_map_that_fits_is_taken)
{
    static const struct {
        const char *name;
        const struct ga_model *model;
        struct entry entries[MAX_ENTRIES + 3];
        const char *layout, *taken;
    } rows[] = {
        {"plain", &any, {PLAIN}, NULL, "plain"},
        {"stacked", &any, {STACKED}, NULL, "stacked"},
        {"transposed", &any, {TRANSPOSED}, NULL, "transposed"},
        {"two fit: the first listed", &any, {STACKED, PLAIN}, NULL, "plain"},
        {"tensors too many", &any, {{"other", "F64", 1, {2}}, STACKED}, NULL, "stacked"},
        {"asked for", &any, {STACKED, PLAIN}, "stacked", "stacked"},
        {"asked for, the second of equals", &any, {PLAIN}, "plain_again", "plain_again"},
        {"the model's default", &stacked_only, {STACKED, PLAIN}, NULL, "stacked"},
        {"asked for against the default", &stacked_only, {STACKED, PLAIN}, "plain", "plain"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = weights_of(rows[i].entries);
        struct ga_weight_view views[N_ROLES];
        const struct ga_weight_map *map = ga_load_map(rows[i].model, weights, rows[i].layout, &error);
        cr_assert_not_null(map, "%s: %s", rows[i].name, error.text);
        cr_expect_str_eq(map->name, rows[i].taken, "%s", rows[i].name);
        cr_expect_eq(ga_load_views(rows[i].model, weights, rows[i].layout, views, &error), GA_OK, "%s: %s",
                     rows[i].name, error.text);
        ga_weights_close(weights);
    }
}

// Views of other types point into the file: nothing is converted. Rows of heads are put apart, so that they are floats.
Test(load, views_of_other_types_are_as_stored)
{
    static const struct entry entries[][MAX_ENTRIES] = {
        {{"in_weight", "F16", 2, {2 * OUT, IN}}, {"in_bias", "F64", 1, {2 * OUT}}},
        {{"qkv.weight", "F16", 2, {3 * OUT, IN}}, {"qkv.bias", "F16", 1, {3 * OUT}}},
    };
    struct ga_weight_view views[N_ROLES];
    struct ga_weights *weights = weights_of(entries[0]);
    cr_assert_eq(ga_load_views(&any, weights, NULL, views, NULL), GA_OK);
    const struct ga_tensor *weight = ga_weights_find(weights, "in_weight"), *bias = ga_weights_find(weights, "in_bias");
    cr_expect(views[Q_WEIGHT].data == NULL && views[Q_WEIGHT].stored == weight->data);
    cr_expect(views[K_WEIGHT].stored == (const uint16_t *)weight->data + OUT * IN);
    cr_expect(views[K_BIAS].stored == (const double *)bias->data + OUT);
    cr_expect(views[K_WEIGHT].dtype == GA_F16 && views[K_BIAS].dtype == GA_F64 && views[K_WEIGHT].row_stride == IN);
    ga_weights_close(weights);
    weights = weights_of(entries[1]);
    cr_assert_eq(ga_load_views(&headed, weights, NULL, views, NULL), GA_OK);
    cr_expect(views[Q_WEIGHT].data != NULL && views[K_BIAS].data != NULL);
    ga_weights_close(weights);
}

// Element [o][i] of a role of [OUT][IN], or [o] of one of [OUT], as the view gives it.
static void expect_elements(const char *name, const struct ga_weight_view *view, size_t rank, const float *expected)
{
    const size_t cols = rank == 2 ? IN : 1;
    for (size_t o = 0; o < OUT; o++) {
        for (size_t i = 0; i < cols; i++) {
            const float found = view->data[o * view->row_stride + (rank == 2 ? i * view->col_stride : 0)];
            cr_expect_eq(found, expected[o * cols + i], "%s [%zu][%zu]: %g", name, o, i, (double)found);
        }
    }
}

Test(load, views_find_each_role_s_elements)
{
    static const struct {
        const char *layout;
        const struct ga_model *model;
        struct entry entries[MAX_ENTRIES];
        float elements[N_ROLES][OUT * IN];
    } rows[] = {
        {"plain", &any, {PLAIN}, {{0, 1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12, 13}, {14, 15}}},
        {"plain, vectors with an axis of 1 in front",
         &any,
         {{"w_q.weight", "F32", 2, {OUT, IN}},
          {"w_q.bias", "F32", 2, {1, OUT}},
          {"w_k.weight", "F32", 2, {OUT, IN}},
          {"w_k.bias", "F32", 2, {1, OUT}}},
         {{0, 1, 2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11, 12, 13}, {14, 15}}},
        {"stacked", &any, {STACKED}, {{0, 1, 2, 3, 4, 5}, {12, 13}, {6, 7, 8, 9, 10, 11}, {14, 15}}},
        {"transposed", &any, {TRANSPOSED}, {{0, 4, 8, 1, 5, 9}, {12, 13}, {2, 6, 10, 3, 7, 11}, {14, 15}}},
        {"by head", &headed, {HEADED}, {{0, 1, 2, 9, 10, 11}, {18, 21}, {3, 4, 5, 12, 13, 14}, {19, 22}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_weights *weights = weights_of(rows[i].entries);
        struct ga_weight_view views[N_ROLES];
        struct ga_error error;
        cr_assert_eq(ga_load_views(rows[i].model, weights, NULL, views, &error), GA_OK, "%s", error.text);
        for (size_t role = 0; role < N_ROLES; role++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %s", rows[i].layout, roles[role].name);
            expect_elements(name, &views[role], roles[role].rank, rows[i].elements[role]);
        }
        ga_weights_close(weights);
    }
}

// -- Files that do not fit ------------------------------------------------------------------------------------------

#define REST_OF_PLAIN                                                   \
    {"w_q.bias", "F32", 1, {OUT}}, {"w_k.weight", "F32", 2, {OUT, IN}}, \
    {                                                                   \
        "w_k.bias", "F32", 1,                                           \
        {                                                               \
            OUT                                                         \
        }                                                               \
    }

static const struct {
    const char *name;
    const struct ga_model *model;
    struct entry entries[MAX_ENTRIES];
    const char *layout;
    enum ga_status status;
    const char *expected;
} unfit[] = {
    {"one missing",
     &any,
     {REST_OF_PLAIN},
     NULL,
     GA_MISSING,
     "w.safetensors: no tensor 'w_q.weight', which map 'plain' expects as [2, 3] for q_weight; the file has 3 "
     "tensors: "
     "'w_k.bias', 'w_k.weight', 'w_q.bias'"},
    {"misspelt",
     &any,
     {{"w_q.wieght", "F32", 2, {OUT, IN}}, REST_OF_PLAIN},
     NULL,
     GA_MISSING,
     "for q_weight; nearest is 'w_q.wieght'; the file has 4 tensors"},
    {"prefixed",
     &any,
     {{"encoder.0.in_weight", "F32", 2, {2 * OUT, IN}}, {"in_bias", "F32", 1, {2 * OUT}}},
     NULL,
     GA_MISSING,
     "no tensor 'in_weight', which map 'stacked' expects as [4, 3] for q_weight; nearest is "
     "'encoder.0.in_weight'"},
    {"nothing alike",
     &any,
     {{"x", "F32", 1, {1}}},
     NULL,
     GA_MISSING,
     "no tensor 'w_q.weight', which map 'plain' expects as [2, 3] for q_weight; the file has 1 tensor: 'x'"},
    {"empty file", &any, {{NULL, NULL, 0, {0}}}, NULL, GA_MISSING, "the file has 0 tensors"},
    {"many others",
     &any,
     {{"e", "F32", 1, {1}}, {"d", "F32", 1, {1}}, {"c", "F32", 1, {1}}, {"b", "F32", 1, {1}}, {"a", "F32", 1, {1}}},
     NULL,
     GA_MISSING,
     "the file has 5 tensors: 'a', 'b', 'c', 'd', ..."},
    {"missing under the map asked for",
     &any,
     {PLAIN},
     "stacked",
     GA_MISSING,
     "no tensor 'in_weight', which map 'stacked' expects"},
    {"missing under the default",
     &stacked_only,
     {PLAIN},
     NULL,
     GA_MISSING,
     "no tensor 'in_weight', which map 'stacked'"},
    {"no such map",
     &any,
     {PLAIN},
     "torch",
     GA_ARGUMENT,
     "no weight map is named 'torch'; expected one of plain, stacked, transposed, plain_again"},
    {"no such default", &wrong_default, {PLAIN}, NULL, GA_ARGUMENT, "no weight map is named 'stakced'"},
    {"no maps", &mapless, {PLAIN}, NULL, GA_ARGUMENT, "the model has no weight map"},

    {"another shape",
     &any,
     {{"w_q.weight", "F32", 2, {OUT, 4}}, REST_OF_PLAIN},
     NULL,
     GA_SHAPE,
     "w.safetensors: tensor 'w_q.weight', byte 266: has shape [2, 4]; map 'plain' expects [2, 3] for q_weight"},
    {"another rank",
     &any,
     {{"w_q.weight", "F32", 1, {OUT * IN}}, REST_OF_PLAIN},
     NULL,
     GA_SHAPE,
     "has shape [6]; map 'plain' expects [2, 3]"},
    {"a vector with another axis in front",
     &any,
     {{"w_q.weight", "F32", 2, {OUT, IN}},
      {"w_q.bias", "F32", 2, {2, OUT}},
      {"w_k.weight", "F32", 2, {OUT, IN}},
      {"w_k.bias", "F32", 1, {OUT}}},
     NULL,
     GA_SHAPE,
     "has shape [2, 2]; map 'plain' expects [2] for q_bias"},
    {"transposed",
     &any,
     {{"w_q.weight", "F32", 2, {IN, OUT}}, REST_OF_PLAIN},
     NULL,
     GA_SHAPE,
     "has shape [3, 2]; map 'plain' expects [2, 3] for q_weight; it looks transposed"},
    {"integers",
     &any,
     {{"w_q.weight", "I32", 2, {OUT, IN}}, REST_OF_PLAIN},
     NULL,
     GA_DTYPE,
     "is I32; map 'plain' expects F32, F16, BF16 or F64 for q_weight"},
    {"a bias the model lacks",
     &biased,
     {PLAIN, {"w_o.bias", "F32", 1, {OUT}}},
     NULL,
     GA_UNSUPPORTED,
     "w.safetensors: tensor 'w_o.bias', byte 392: is o_bias under map 'biased', but tiny was generated without it: its "
     "spec leaves it out"},
    {"rows that no number of heads has",
     &split_unevenly,
     {HEADED},
     NULL,
     GA_SHAPE,
     "takes q_weight from outside tensor 'qkv.weight'"},
    {"a role outside its tensor", &broken, {PLAIN}, NULL, GA_SHAPE, "takes q_weight from outside tensor 'w_q.weight'"},
};

Test(load, files_that_do_not_fit_are_refused)
{
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = weights_of(unfit[i].entries);
        struct ga_weight_view views[N_ROLES];
        cr_expect_eq(ga_load_views(unfit[i].model, weights, unfit[i].layout, views, &error), unfit[i].status, "%s",
                     unfit[i].name);
        cr_expect_eq(error.status, unfit[i].status, "%s", unfit[i].name);
        cr_expect_not_null(strstr(error.text, unfit[i].expected), "%s: '%s'", unfit[i].name, error.text);
        ga_weights_close(weights);
    }
}

Test(load, a_name_the_map_uses_elsewhere_is_not_offered)
{
    static const struct entry entries[MAX_ENTRIES] = {REST_OF_PLAIN};
    struct ga_error error;
    struct ga_weights *weights = weights_of(entries);
    cr_expect_null(ga_load_map(&any, weights, NULL, &error), "w_q.weight is missing");
    cr_expect_eq(error.status, GA_MISSING);
    cr_expect_null(strstr(error.text, "nearest"), "'%s': w_k.weight is one letter off, but another role's", error.text);
    ga_weights_close(weights);
}

Test(load, very_long_names_are_compared_without_harm)
{
    static char long_name[257];
    memset(long_name, 'n', 256);
    const struct entry entries[MAX_ENTRIES] = {{long_name, "F32", 1, {1}}};
    static char wanted[300];
    memset(wanted, 'n', sizeof wanted - 1);
    const struct ga_weight_source source = {.role = 0, .tensor = wanted, .rank = 1, .shape = {OUT}};
    const struct ga_weight_role role = {"q_bias", 1, {OUT}};
    const struct ga_weight_map map = {.name = "long", .sources = &source};
    const struct ga_model model = {.name = "tiny", .roles = &role, .n_roles = 1, .maps = &map, .n_maps = 1};
    struct ga_error error;
    struct ga_weights *weights = weights_of(entries);
    cr_expect_null(ga_load_map(&model, weights, NULL, &error));
    cr_expect_eq(error.status, GA_MISSING);
    ga_weights_close(weights);
}

Test(load, missing_arguments_are_refused)
{
    static const struct entry entries[MAX_ENTRIES] = {PLAIN};
    struct ga_weight_view views[N_ROLES];
    struct ga_error error;
    struct ga_weights *weights = weights_of(entries);
    cr_expect_eq(ga_load_views(NULL, weights, NULL, views, &error), GA_ARGUMENT);
    cr_expect_eq(ga_load_views(&any, NULL, NULL, views, &error), GA_ARGUMENT);
    cr_expect_eq(ga_load_views(&any, weights, NULL, NULL, &error), GA_ARGUMENT);
    cr_expect_eq(ga_load_views(&any, weights, "torch", views, NULL), GA_ARGUMENT);
    cr_expect_null(ga_load_map(NULL, weights, NULL, NULL));
    ga_weights_close(weights);
}
