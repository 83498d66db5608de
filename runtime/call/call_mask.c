// call_mask.c: the masks of one call: the rules for their fields, how far they reach, what additive ones hold. Runs
// nothing.
#include <math.h>
#include <string.h>

#include "call.h"

enum { KEY_AXIS = GA_MASK_AXES - 1 };

void ga_call_masks(const struct ga_model *model, const struct ga_io *io, struct ga_call_mask masks_out[GA_CALL_MASKS])
{
    const size_t own_keys = model->stack == NULL ? io->kv_len : io->q_len; // of a stack its rows look at themselves
    const enum ga_mask of_memory = model->stack == NULL ? GA_MASK_NONE : model->stack->memory_mask;
    const struct ga_call_mask masks[GA_CALL_MASKS] = {
        {"mask",
         "additive_mask",
         "mask_strides",
         "mask.tensor",
         model->mask,
         io->mask,
         io->additive_mask,
         io->mask_strides,
         {io->batch, model->n_heads, io->q_len, own_keys}},
        {"src_mask",
         "src_additive_mask",
         "src_mask_strides",
         "mask.tensor",
         model->mask,
         io->src_mask,
         io->src_additive_mask,
         io->src_mask_strides,
         {io->batch, model->n_heads, io->kv_len, io->kv_len}},
        {"memory_mask",
         "memory_additive_mask",
         "memory_mask_strides",
         "mask.memory",
         of_memory,
         io->memory_mask,
         io->memory_additive_mask,
         io->memory_mask_strides,
         {io->batch, model->n_heads, io->q_len, io->kv_len}},
    };
    memcpy(masks_out, masks, sizeof masks);
}

static enum ga_status check_fields(const struct ga_model *model, const struct ga_call_mask *mask,
                                   struct ga_error *error)
{
    const char *unfit = mask->bytes != NULL && mask->kind != GA_MASK_BOOL         ? "bool"
                        : mask->numbers != NULL && mask->kind != GA_MASK_ADDITIVE ? "additive"
                                                                                  : NULL;
    const char *given = mask->bytes != NULL ? mask->name : mask->additive_name;
    if (unfit != NULL) {
        return ga_fail(error, GA_UNSUPPORTED,
                       "%s: %s is given, but the model was generated without %s \"%s\"; set it in the spec",
                       model->name, given, mask->spec_field, unfit);
    }
    if ((mask->bytes != NULL || mask->numbers != NULL) && mask->strides[KEY_AXIS] > 1) {
        return ga_fail(error, GA_ARGUMENT,
                       "%s: %s[3] is more than 1; expected contiguous keys, or 0 for one element that is used for all "
                       "keys",
                       model->name, mask->strides_name);
    }
    return GA_OK;
}

// What a mask is about, the model must have.
static enum ga_status check_sides(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_call_rule rules[] = {
        {io->src_mask != NULL && model->kind != GA_TRANSFORMER, GA_UNSUPPORTED,
         "src_mask is given, but the model is not a transformer"},
        {io->src_additive_mask != NULL && model->kind != GA_TRANSFORMER, GA_UNSUPPORTED,
         "src_additive_mask is given, but the model is not a transformer"},
        {io->memory_mask != NULL && !ga_call_has_memory(model), GA_UNSUPPORTED,
         "memory_mask is given, but the model attends to nothing besides its rows"},
        {io->memory_additive_mask != NULL && !ga_call_has_memory(model), GA_UNSUPPORTED,
         "memory_additive_mask is given, but the model attends to nothing besides its rows"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

enum ga_status ga_call_mask_fields(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    struct ga_call_mask masks[GA_CALL_MASKS];
    enum ga_status status = check_sides(model, io, error);
    ga_call_masks(model, io, masks);
    for (size_t i = 0; i < GA_CALL_MASKS && status == GA_OK; i++) {
        status = check_fields(model, &masks[i], error);
    }
    return status;
}

bool ga_call_mask_extent(const struct ga_call_mask *mask, size_t *elements_out)
{
    const size_t most = PTRDIFF_MAX / sizeof(float);
    const bool is_given = mask->bytes != NULL || mask->numbers != NULL;
    size_t extent = 1;
    *elements_out = 0;
    for (size_t axis = 0; is_given && axis < GA_MASK_AXES; axis++) {
        const size_t steps = mask->shape[axis] - 1;
        if (steps > 0 && mask->strides[axis] > (most - extent) / steps) {
            return false;
        }
        extent += steps * mask->strides[axis];
    }
    *elements_out = is_given ? extent : 0;
    return true;
}

// -- What additive masks hold ---------------------------------------------------------------------------------------

// False where one of n numbers, NaN or +inf, cannot be added to a score. No branch looks at one, and most are looked at
// in blocks of a size that compilers know, which they make vector code of.
static bool all_addable(const float *row, size_t n)
{
    enum { BLOCK = 32 };
    int unfit = 0;
    size_t j = 0;
    for (; j + BLOCK <= n; j += BLOCK) {
        for (size_t k = 0; k < BLOCK; k++) {
            unfit |= !(row[j + k] < INFINITY);
        }
    }
    for (; j < n; j++) {
        unfit |= !(row[j] < INFINITY);
    }
    return unfit == 0;
}

static enum ga_status check_row(const struct ga_model *model, const struct ga_call_mask *mask,
                                const size_t at[KEY_AXIS], size_t keys, struct ga_error *error)
{
    const size_t *strides = mask->strides;
    const float *row = mask->numbers + at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
    size_t j = 0;
    if (all_addable(row, keys)) {
        return GA_OK;
    }
    while (row[j] < INFINITY) {
        j++;
    }
    return ga_fail(error, GA_ARGUMENT, "%s: %s[%zu][%zu][%zu][%zu] is %g; expected finite numbers or -inf", model->name,
                   mask->additive_name, at[0], at[1], at[2], j, (double)row[j]);
}

// The elements that lie side by side along an axis: 1 where one stands for all.
static size_t elements_along(const struct ga_call_mask *mask, size_t axis)
{
    return mask->strides[axis] == 0 ? 1 : mask->shape[axis];
}

static enum ga_status check_numbers(const struct ga_model *model, const struct ga_call_mask *mask,
                                    struct ga_error *error)
{
    const size_t heads = elements_along(mask, 1), queries = elements_along(mask, 2);
    const size_t rows = mask->numbers == NULL ? 0 : elements_along(mask, 0) * heads * queries;
    enum ga_status status = GA_OK;
    for (size_t row = 0; row < rows && status == GA_OK; row++) {
        const size_t at[KEY_AXIS] = {row / queries / heads, row / queries % heads, row % queries};
        status = check_row(model, mask, at, elements_along(mask, KEY_AXIS), error);
    }
    return status;
}

enum ga_status ga_call_mask_contents(const struct ga_model *model, const struct ga_io *call, struct ga_error *error)
{
    struct ga_call_mask masks[GA_CALL_MASKS];
    enum ga_status status = GA_OK;
    ga_call_masks(model, call, masks);
    for (size_t i = 0; i < GA_CALL_MASKS && status == GA_OK; i++) {
        status = check_numbers(model, &masks[i], error);
    }
    return status;
}
