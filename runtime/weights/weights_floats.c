// weights_floats.c: tensors of other floating-point types and of blocks as F32, a whole tensor at a time.
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"
#include "stored_floats.h"
#include "weights_shard.h"

bool ga_weights_are_floats(const struct ga_tensor *tensor)
{
    return tensor != NULL && ga_float_reader_of(tensor->dtype) != NULL;
}

static float *converted(const struct ga_tensor *tensor)
{
    size_t count = 0;
    if (!ga_shape_elements(tensor->rank, tensor->shape, &count) || count > SIZE_MAX / sizeof(float)) {
        return NULL;
    }
    float *floats = ga_block_room(count * sizeof *floats);
    if (floats != NULL) {
        ga_float_reader_of(tensor->dtype)(tensor->data, count, floats);
    }
    return floats;
}

// *i_out is the tensor's place among its weights.
static enum ga_status check_arguments(const struct ga_weights *weights, const struct ga_tensor *tensor,
                                      const float *const *floats_out, size_t *i_out, struct ga_error *error)
{
    if (weights == NULL || tensor == NULL || floats_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_floats: %s is NULL",
                       weights == NULL  ? "weights"
                       : tensor == NULL ? "tensor"
                                        : "floats_out");
    }
    return ga_weights_has(weights, tensor, i_out)
               ? GA_OK
               : ga_fail(error, GA_ARGUMENT,
                         "%s: the tensor is none of these weights; expected one that ga_weights_at "
                         "or ga_weights_find gave of them",
                         weights->label);
}

enum ga_status ga_weights_floats(struct ga_weights *weights, const struct ga_tensor *tensor, const float **floats_out,
                                 struct ga_error *error)
{
    size_t i = 0;
    const enum ga_status status = check_arguments(weights, tensor, floats_out, &i, error);
    if (status != GA_OK) {
        return status;
    }
    if (tensor->dtype == GA_F32) {
        *floats_out = tensor->data;
        return GA_OK;
    }
    if (!ga_weights_are_floats(tensor)) {
        char name[GA_NAME_TEXT];
        return ga_fail_at(error, GA_DTYPE, GA_FAULT_TENSOR_DTYPE, GA_NO_OFFSET,
                          "%s: tensor '%s' is %s; expected F64, F32, F16, BF16 or blocks of them", weights->label,
                          ga_name_text(tensor->name, name, sizeof name), ga_dtype_name(tensor->dtype));
    }
    if (weights->floats == NULL) {
        weights->floats = calloc(weights->count, sizeof *weights->floats);
    }
    if (weights->floats != NULL && weights->floats[i] == NULL) {
        weights->floats[i] = converted(tensor);
    }
    if (weights->floats == NULL || weights->floats[i] == NULL) {
        return ga_weights_fail_memory(error, weights->label, "a tensor's elements as F32");
    }
    *floats_out = weights->floats[i];
    return GA_OK;
}
