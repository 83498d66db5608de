// weights_floats.c: other floating-point types as F32, a whole tensor at a time. Halves of both kinds fit exactly;
// doubles are rounded to the nearest float.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "weights_shard.h"

static float float_of_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// 1 bit of sign, 5 of exponent, 10 of fraction. A NaN stays one and becomes quiet.
static float float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    const uint32_t exponent = half >> 10 & 0x1Fu;
    const uint32_t fraction = half & 0x3FFu;
    if (exponent == 0x1F) {
        return float_of_bits(sign | 0x7F800000u | fraction << 13 | (fraction == 0 ? 0 : 0x400000u));
    }
    if (exponent == 0) {
        const float subnormal = (float)fraction * 0x1p-24f;
        return sign == 0 ? subnormal : -subnormal;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static void from_f16(const void *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        floats[i] = float_of_half(((const uint16_t *)data)[i]);
    }
}

// The upper half of a float.
static void from_bf16(const void *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        floats[i] = float_of_bits((uint32_t)((const uint16_t *)data)[i] << 16);
    }
}

static void from_f64(const void *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        floats[i] = (float)((const double *)data)[i];
    }
}

typedef void (*converter)(const void *data, size_t count, float *floats);

static converter converter_of(enum ga_dtype dtype)
{
    return dtype == GA_F16 ? from_f16 : dtype == GA_BF16 ? from_bf16 : dtype == GA_F64 ? from_f64 : NULL;
}

bool ga_weights_are_floats(const struct ga_tensor *tensor)
{
    return tensor != NULL && (tensor->dtype == GA_F32 || converter_of(tensor->dtype) != NULL);
}

static float *converted(const struct ga_tensor *tensor)
{
    size_t count = 0;
    if (!ga_shape_elements(tensor->rank, tensor->shape, &count) || count > SIZE_MAX / sizeof(float)) {
        return NULL;
    }
    float *floats = ga_block_room(count * sizeof *floats);
    if (floats != NULL) {
        converter_of(tensor->dtype)(tensor->data, count, floats);
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
                          "%s: tensor '%s' is %s; expected F64, F32, F16 or BF16", weights->label,
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
