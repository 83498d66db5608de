// kernels_subject.c: a model with weights, packed for every variant this CPU runs, and the walk over its shapes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cpu.h"
#include "kernels.h"
#include "support/reference.h"
#include "support/sanitized.h"

bool kernels_for_any(const struct ga_model *model)
{
    (void)model;
    return true;
}

bool kernels_for_lengths(const struct ga_model *model)
{
    return model->lengths && !model->fills_padding;
}

bool kernels_for_cutting(const struct ga_model *model)
{
    return kernels_for_lengths(model) && model->batch <= 1 && model->q_len.min == 1 && model->kv_len.min == 1 &&
           model->q_len.max > 1 && model->kv_len.max > 1;
}

bool kernels_for_heights(const struct ga_model *model)
{
    return !model->stack && model->rows_together == 0 &&
           (model->lengths || (model->q_len.min == 1 && model->kv_len.min == 1));
}

// Where keys outside a row's range have no weight in any case.
static bool ranges_are_strict(const struct ga_model *model)
{
    return !model->fills && !model->masked_uniform;
}

bool kernels_for_causal(const struct ga_model *model)
{
    return model->causal != GA_CAUSAL_NONE && ranges_are_strict(model) &&
           !shapes_has_memory(model); // which all rows see
}

bool kernels_for_window(const struct ga_model *model)
{
    return model->window > 0 && ranges_are_strict(model) && !model->stack; // layer by layer a row sees further
}

bool kernels_for_tokens(const struct ga_model *model)
{
    return model->vocab_size > 0 && !shapes_has_memory(model) && model->q_len.min <= model->kv_len.max &&
           model->kv_len.min <= model->q_len.max;
}

bool kernels_for_projected(const struct ga_model *model)
{
    return model->kind == GA_MHA && !model->shared_heads;
}

// Whether in every row of every call keys outside a window have a weight compared with scores of zero, so that none is
// exact.
static bool fills_every_row(const struct ga_model *model)
{
    return model->fills && (float)exp(model->mask_fill) > 0.0F && model->window > 0 &&
           model->kv_len.min > 2 * model->window;
}

bool kernels_multiply_floats(const struct ga_model *model)
{
    bool floats = true;
    for (size_t l = 0; l < GA_LINEARS; l++) {
        floats = floats && model->arithmetic[l] == GA_ARITHMETIC_F32;
    }
    return floats && model->attention_arithmetic == GA_ARITHMETIC_F32;
}

bool kernels_keep_groups(const struct ga_model *model)
{
    return model->weights_dtype == GA_STORAGE_INT8 || model->weights_dtype == GA_STORAGE_INT4;
}

bool kernels_for_linear(const struct ga_model *model)
{
    bool linear = kernels_for_projected(model) && !fills_every_row(model) && model->qk_norm.kind == GA_NORM_NONE &&
                  model->rope.positions == 0 && kernels_multiply_floats(model) && !kernels_keep_groups(model);
    for (size_t p = 0; p < GA_PROJECTIONS; p++) {
        linear = linear && model->activation[p] == GA_ACTIVATION_NONE;
    }
    return linear;
}

bool kernels_for_exact(const struct ga_model *model)
{
    return kernels_for_linear(model) && !(model->cache > 0 && model->cache_dtype == GA_I8) &&
           model->embedding_dtype != GA_I8;
}

bool kernels_for_pointed(const struct ga_model *model)
{
    const size_t pointers = 2; // a query's, and what a key scores
    return kernels_for_linear(model) && model->d_model >= pointers && model->k_dim >= pointers &&
           model->v_dim >= pointers;
}

bool kernels_for_cached(const struct ga_model *model)
{
    return model->cache > 0 && model->lengths && model->q_len.min == 1 && model->kv_len.min == 1;
}

bool kernels_for_steps(const struct ga_model *model)
{
    const bool attends_itself = model->k_dim == model->d_model && model->v_dim == model->d_model;
    return kernels_for_cached(model) && model->causal == GA_CAUSAL_BOTTOM_RIGHT &&
           (attends_itself || shapes_has_memory(model));
}

void kernels_check(struct checks *checks, kernel_fact *fact, const struct ga_model *model)
{
    (void)ga_cpu_allow_amx();
    checks_subject(checks, model->name, "(no variant yet)");
    fact(checks, model);
    checks_situation(checks, "all shapes");
    checks_that(checks, checks->done > 0, "nothing was checked");
}

static bool names_isa(const struct ga_model *model, const char *isa)
{
    for (size_t v = 0; v < model->n_variants; v++) {
        if (strcmp(model->variants[v].isa, isa) == 0) {
            return true;
        }
    }
    return false;
}

static bool named_before(size_t m, const char *isa)
{
    for (size_t earlier = 0; earlier < m; earlier++) {
        if (names_isa(ga_test_models[earlier], isa)) {
            return true;
        }
    }
    return false;
}

void kernels_name_skipped(void)
{
    (void)ga_cpu_allow_amx();
    for (size_t m = 0; m < n_ga_test_models; m++) {
        for (size_t v = 0; v < ga_test_models[m]->n_variants; v++) {
            const struct ga_variant *variant = &ga_test_models[m]->variants[v];
            if (!ga_cpu_has(variant->cpu) && !named_before(m, variant->isa)) {
                printf("skipped: %s (this CPU lacks it)\n", variant->isa);
            }
        }
    }
    fflush(stdout);
}

// -- Weights --------------------------------------------------------------------------------------------------------

size_t role_columns(const struct ga_weight_role *role)
{
    return role->rank == 2 ? role->shape[1] : 1;
}

static size_t role_elements(const struct ga_weight_role *role)
{
    return role->shape[0] * role_columns(role);
}

// A role's name in its layer: of "layers.3.q_weight", "q_weight".
static const char *name_in_layer(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

// Tables of rows, weights of score modifiers, and norms of a stack, whose results are about as large as their factors.
static bool is_as_it_is(const struct ga_model *model, const char *name)
{
    const char *const tables[] = {"embedding", "positions", "token_types"};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (strcmp(name, tables[t]) == 0) {
            return true;
        }
    }
    const bool is_linear = strncmp(name, "disentangled_", 13) == 0 && strstr(name, "_weight") != NULL;
    return (reference_idle_weight(name) && !is_linear) || (model->stack && strstr(name, "norm_weight") != NULL);
}

void weights_random(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    // Scores of any spec'd scale come out near 1, where a softmax is neither flat nor one-hot.
    double score = model->scale * sqrt((double)model->d_head);
    double factor = name_in_layer(role->name)[0] == 'q' ? 1 / score : 1;
    if (!is_as_it_is(model, role->name)) {
        factor *= role->rank == 2 ? 1 / sqrt((double)role->shape[1]) : 0.5;
    }
    if (strcmp(role->name, "embedding") == 0) {
        factor *= call_row_size(model);
    }
    rng_fill_normal(rng, data, role_elements(role), (float)factor);
}

// The [out][in] elements at data rewritten as [in][out]; false: no memory.
static bool transpose(float *data, size_t rows, size_t columns)
{
    float *copy = malloc(rows * columns * sizeof *copy);
    if (!copy) {
        return false;
    }
    memcpy(copy, data, rows * columns * sizeof *copy);
    for (size_t i = 0; i < rows * columns; i++) {
        data[i % columns * rows + i / columns] = copy[i];
    }
    free(copy);
    return true;
}

// count elements at data, which has room for 2 * count - 1, rewritten with a NaN between each two.
static void spread(float *data, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        data[2 * i] = data[i];
        if (i + 1 < count) {
            data[2 * i + 1] = NAN;
        }
    }
}

// How a subject's weights are made.
struct making {
    weight_fill *fill;
    uint64_t seed;
    bool transposed; // and vectors with a stride of 2
    enum guard_place place;
};

static bool make_role(struct subject *subject, const struct making *making, struct rng *rng, size_t r)
{
    const struct ga_weight_role *role = &subject->model->roles[r];
    const size_t rows = role->shape[0], columns = role_columns(role);
    const bool is_spread = making->transposed && role->rank == 1;
    struct guard *weights = &subject->weights[r];
    if (!guard_make(weights, (is_spread ? 2 * rows - 1 : rows * columns) * sizeof(float), sizeof(float),
                    making->place)) {
        return false;
    }
    bool ok = true;
    making->fill(rng, subject->model, role, weights->data);
    if (subject->model->weights_dtype != GA_STORAGE_F32) {
        weights_round(subject->model, role, weights->data);
    }
    subject->roles[r] = (struct ga_weight_view){.data = weights->data, .row_stride = columns, .col_stride = 1};
    if (is_spread) {
        spread(weights->data, rows);
        subject->roles[r] = (struct ga_weight_view){.data = weights->data, .row_stride = 2, .col_stride = 1};
    } else if (making->transposed) {
        ok = transpose(weights->data, rows, columns);
        subject->roles[r] = (struct ga_weight_view){.data = weights->data, .row_stride = 1, .col_stride = rows};
    }
    guard_seal(weights);
    return ok;
}

static bool make_weights(struct subject *subject, const struct making *making)
{
    const struct ga_model *model = subject->model;
    struct rng rng = rng_seeded(model->d_model * 131 + model->n_heads + making->seed * 65537);
    bool ok = true;
    for (size_t r = 0; ok && r < model->n_roles; r++) {
        ok = make_role(subject, making, &rng, r);
    }
    return ok;
}

static void pack(struct subject *subject, struct checks *checks, const struct ga_variant *variant,
                 enum guard_place place)
{
    struct ga_error error = {.status = GA_OK, .text = ""};
    size_t n = subject->n_loaded, bytes = ga_model_packed_size(variant);
    struct guard *packed = &subject->packed[n];
    checks_subject(checks, subject->model->name, variant->isa);
    checks_situation(checks, "packing");
    if (!checks_need(checks, guard_make(packed, bytes, GA_ALIGN, place), "no memory for packed weights")) {
        return;
    }
    enum ga_status status =
        ga_model_pack(subject->model, variant, subject->roles, packed->data, bytes, &subject->loaded[n], &error);
    checks_need(checks, guard_intact(packed), "wrote outside the packed weights");
    if (checks_need(checks, status == GA_OK, "%s: %s", ga_status_text(status), error.text)) {
        guard_seal(packed);
        subject->n_loaded++;
    } else {
        guard_drop(packed);
    }
}

// The set on which facts about values are checked: the best. Under sanitizers, which look at the widest vectors of a
// few models alone, the narrowest vectors. Portable code is the last variant.
static size_t one_set(const struct ga_model *model)
{
    size_t one = model->n_variants;
    for (size_t v = 0; v < model->n_variants; v++) {
        const bool is_wanted = one == model->n_variants || (SANITIZED && v + 1 < model->n_variants);
        one = is_wanted && ga_cpu_has(model->variants[v].cpu) ? v : one;
    }
    return one;
}

static bool make_subject(struct subject *subject, struct checks *checks, const struct ga_model *model,
                         const struct making *making)
{
    *subject = (struct subject){.model = model};
    if (!checks_need(checks, model->n_roles <= MAX_ROLES && model->n_variants <= MAX_VARIANTS,
                     "the tests have room for %d roles and %d variants", MAX_ROLES, MAX_VARIANTS) ||
        !checks_need(checks, make_weights(subject, making), "no memory for weights")) {
        return false;
    }
    const size_t one = one_set(model);
    for (size_t v = 0; v < model->n_variants; v++) {
        if (ga_cpu_has(model->variants[v].cpu) && (!checks->one_set || v == one)) {
            pack(subject, checks, &model->variants[v], making->place % 2);
        }
    }
    return checks_need(checks, subject->n_loaded > 0, "no variant of it runs here");
}

bool subject_make_seeded(struct subject *subject, struct checks *checks, const struct ga_model *model,
                         weight_fill *fill, uint64_t seed, bool transposed)
{
    return make_subject(subject, checks, model, &(struct making){fill, seed, transposed, GUARD_AT_END});
}

bool subject_make_at(struct subject *subject, struct checks *checks, const struct ga_model *model, bool transposed,
                     enum guard_place place)
{
    return make_subject(subject, checks, model, &(struct making){weights_random, 0, transposed, place});
}

bool subject_make(struct subject *subject, struct checks *checks, const struct ga_model *model, weight_fill *fill,
                  bool transposed)
{
    return subject_make_seeded(subject, checks, model, fill, 0, transposed);
}

void subject_drop(struct subject *subject)
{
    for (size_t v = 0; v < subject->n_loaded; v++) {
        guard_drop(&subject->packed[v]);
    }
    for (size_t r = 0; r < MAX_ROLES; r++) { // not the model's number: it may be a shared object's that has gone
        guard_drop(&subject->weights[r]);
    }
}

void kernels_each_call(struct checks *checks, const struct ga_model *model, weight_fill *fill, double budget,
                       call_check *body)
{
    enum { N_PLACES = 3 };
    static const enum guard_place places[N_PLACES] = {GUARD_AT_END, GUARD_AT_START, GUARD_ODD};
    const double most = 2e6; // of one call that a seed chooses: some ten of them a second, all facts of a model
    struct shapes shapes =
        checks->seed ? shapes_random(model, checks->seed, most) : shapes_of(model, budget * checks->effort);
    struct subject subject;
    if (subject_make_seeded(&subject, checks, model, fill, checks->seed, false)) {
        for (size_t s = 0; s < shapes.count; s++) {
            struct call call;
            const enum guard_place place =
                checks->seed ? (enum guard_place)((s + checks->seed) % N_GUARD_PLACES) : places[s % N_PLACES];
            if (checks_need(checks, call_make(&call, model, &shapes.list[s], place), "no memory for the call")) {
                call_fill(&call);
                body(checks, &subject, &call);
                call_drop(&call);
            }
        }
    }
    subject_drop(&subject);
}
