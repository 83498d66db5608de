// kernels_dtype.c: weights that a model keeps in fewer bits: what those bits hold, so that the generic kernel and the
// model's own compute with the same numbers, and the fact that packing rounds to nearest, and once.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"
#include "rounding.h"

// What weights are kept as: bits of the significand and the exponent of the smallest number, of each or, where weights
// are in groups, of the scale; then the numbers of a group, what of them is zero in all groups, 0 where each has a zero
// of its own, and from where on a step is too large for a scale.
static const struct storage {
    int significand, smallest;
    int numbers, zero;
    double beyond;
} STORAGES[] = {
    [GA_STORAGE_F32] = {24, -149, 0, 0, 0},   [GA_STORAGE_BF16] = {8, -133, 0, 0, 0},
    [GA_STORAGE_F16] = {11, -24, 0, 0, 0},    [GA_STORAGE_INT8] = {11, -24, 256, 128, 65520},
    [GA_STORAGE_INT4] = {4, -25, 16, 0, 248},
};

enum { GROUP = 32 }; // weights along depth with a scale of their own

double weights_smallest(const struct ga_model *model)
{
    return ldexp(1, STORAGES[model->weights_dtype].smallest);
}

bool kernels_for_narrow(const struct ga_model *model)
{
    return model->weights_dtype == GA_STORAGE_BF16 || model->weights_dtype == GA_STORAGE_F16;
}

// Whether a role is the weight of a linear, which is what a model keeps in fewer bits. A tied embedding is one too.
static bool is_linear(const struct ga_model *model, const struct ga_weight_role *role)
{
    const char *const suffix = "_weight";
    const size_t length = strlen(role->name);
    const bool is_tied = model->stack && model->stack->logits_tied && strcmp(role->name, "embedding") == 0;
    const bool is_weight = length > strlen(suffix) && strcmp(role->name + length - strlen(suffix), suffix) == 0;
    return role->rank == 2 && (is_weight || is_tied);
}

// Weights of a group as whole numbers of steps that cover its range, zero among them, and leave `spare` numbers out, as
// blocks of other libraries do; all NaN where one is not finite or the range too large.
static void round_group(struct storage storage, float *data, size_t count, int spare)
{
    double low = 0, high = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, (double)data[i]);
        high = fmax(high, (double)data[i]);
        sum += (double)data[i];
    }
    const double reach = fmax(-low, high), most = storage.numbers - 1;
    const double range = storage.zero ? reach / (storage.zero - 1 - spare) : (high - low) / (most - spare);
    const double step = rounding_nearest_of(storage.significand, storage.smallest, range);
    const double zero = storage.zero ? storage.zero : fmin(nearbyint(step > 0 ? -low / step * 16 : 0), most * 16) / 16;
    for (size_t i = 0; i < count; i++) {
        const double number = step > 0 ? nearbyint((double)data[i] / step + zero) : zero;
        const double kept = fmin(fmax(number, storage.zero ? 1 : 0), most);
        data[i] = isfinite(sum) && step < storage.beyond ? (float)(step > 0 ? step * (kept - zero) : 0) : NAN;
    }
}

void weights_round(const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    const struct storage storage = STORAGES[model->weights_dtype];
    const size_t rows = is_linear(model, role) ? role->shape[0] : 0, columns = rows > 0 ? role->shape[1] : 0;
    for (size_t i = 0; storage.numbers == 0 && i < rows * columns; i++) {
        data[i] = (float)rounding_nearest_of(storage.significand, storage.smallest, (double)data[i]);
    }
    for (size_t row = 0; storage.numbers > 0 && row < rows; row++) {
        for (size_t at = 0; at < columns; at += GROUP) {
            round_group(storage, data + row * columns + at, columns - at < GROUP ? columns - at : GROUP,
                        (int)(row % 3));
        }
    }
}

// The subject's weights, each moved by less than half of what its last bit is worth, packed once more.
static void expect_same_bytes(struct checks *checks, const struct subject *subject, size_t v, double by)
{
    const struct ga_model *model = subject->model;
    const struct ga_variant *variant = ga_loaded_variant(subject->loaded[v]);
    static struct guard moved[MAX_ROLES];
    static struct ga_weight_view views[MAX_ROLES];
    const size_t bytes = ga_model_packed_size(variant);
    struct guard packed;
    const struct ga_loaded *loaded;
    struct ga_error error = {.text = ""};
    bool ok = checks_need(checks, guard_make(&packed, bytes, GA_ALIGN, GUARD_AT_END), "no memory for packed weights");
    for (size_t r = 0; ok && r < model->n_roles; r++) {
        const struct guard *from = &subject->weights[r];
        ok = checks_need(checks, guard_make(&moved[r], from->bytes, sizeof(float), GUARD_AT_END), "no memory");
        views[r] = subject->roles[r];
        views[r].data = moved[r].data;
        for (size_t i = 0; ok && i < from->bytes / sizeof(float); i++) {
            const float x = ((const float *)from->data)[i];
            ((float *)moved[r].data)[i] = is_linear(model, &model->roles[r]) ? (float)((1 + by) * (double)x) : x;
        }
    }
    if (ok && checks_that(checks, ga_model_pack(model, variant, views, packed.data, bytes, &loaded, &error) == GA_OK,
                          "%s", error.text)) {
        checks_that(checks, memcmp(loaded->packed, subject->loaded[v]->packed, variant->packed_bytes) == 0,
                    "weights moved by %g of their size pack as other bytes", by);
    }
    for (size_t r = 0; r < model->n_roles; r++) {
        guard_drop(&moved[r]);
        moved[r] = (struct guard){.data = NULL};
    }
    guard_drop(&packed);
}

void weights_are_rounded_to_nearest(struct checks *checks, const struct ga_model *model)
{
    const double below_half = 0.9 * ldexp(1, -STORAGES[model->weights_dtype].significand - 1);
    struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        for (size_t v = 0; v < subject.n_loaded; v++) {
            checks_subject(checks, model->name, ga_loaded_variant(subject.loaded[v])->isa);
            expect_same_bytes(checks, &subject, v, below_half);
            expect_same_bytes(checks, &subject, v, -below_half);
        }
    }
    subject_drop(&subject);
}
