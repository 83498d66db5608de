// kernels_dtype.c: weights that a model keeps in fewer bits: what those bits hold, so that the generic kernel and the
// model's own compute with the same numbers, and the fact that packing rounds to nearest, and once.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "kernels.h"

// Bits of the significand, the first one included.
static int significand(enum ga_dtype dtype)
{
    return dtype == GA_BF16 ? 8 : dtype == GA_F16 ? 11 : 24;
}

// The exponent of the smallest positive number.
static int smallest_exponent(enum ga_dtype dtype)
{
    return dtype == GA_BF16 ? -133 : dtype == GA_F16 ? -24 : -149;
}

double weights_smallest(const struct ga_model *model)
{
    return ldexp(1, smallest_exponent(model->weights_dtype));
}

bool kernels_for_narrow(const struct ga_model *model)
{
    return significand(model->weights_dtype) < significand(GA_F32);
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

void weights_round(const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    const int bits = significand(model->weights_dtype), smallest = smallest_exponent(model->weights_dtype);
    const size_t count = role->rank == 2 ? role->shape[0] * role->shape[1] : 0;
    for (size_t i = 0; is_linear(model, role) && i < count; i++) {
        int exponent;
        frexp((double)data[i], &exponent);
        const int last = exponent - bits > smallest ? exponent - bits : smallest;
        if (isfinite(data[i])) {
            data[i] = (float)ldexp(nearbyint(ldexp((double)data[i], -last)), last);
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
    const double below_half = 0.9 * ldexp(1, -significand(model->weights_dtype) - 1);
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
