// io_mask.c: the mask in an input file as a model's struct ga_io: any shape that broadcasts, bytes or numbers.
// Converts integers to bytes and floats to F32; what an additive mask holds is checked by the runtime.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_call.h"

enum { AXES = 4, EXPECTED_TEXT = 256 };

static bool is_bool(enum ga_dtype dtype)
{
    return dtype == GA_BOOL || dtype == GA_U8 || dtype == GA_I32 || dtype == GA_I64;
}

static bool is_additive(enum ga_dtype dtype)
{
    return ga_weights_are_floats(&(struct ga_tensor){.dtype = dtype});
}

static const struct kind {
    bool (*takes)(enum ga_dtype dtype);
    const char *dtypes;
} kinds[] = {
    [GA_MASK_BOOL] = {is_bool, "BOOL, U8, I32 or I64"},
    [GA_MASK_ADDITIVE] = {is_additive, GA_FLOATS},
};

// Fills strides for the batch, head, query and key axis of a dense mask, 0 along axes of one element; false where an
// axis is neither 1 nor as long as the call's.
static bool read_strides(const struct ga_tensor *tensor, const size_t axes[AXES], size_t strides[AXES])
{
    size_t shape[AXES] = {1, 1, 1, 1}, step = 1;
    if (tensor->rank < 2 || tensor->rank > AXES) {
        return false;
    }
    memcpy(shape + 2, tensor->shape + tensor->rank - 2, 2 * sizeof *shape);
    for (size_t axis = 0; axis + 2 < tensor->rank; axis++) {
        shape[axis] = tensor->shape[axis]; // [batch, ...]: of rank 3 there are no heads
    }
    for (size_t axis = AXES; axis-- > 0;) {
        if (shape[axis] != 1 && shape[axis] != axes[axis]) {
            return false;
        }
        strides[axis] = shape[axis] == 1 ? 0 : step;
        step *= shape[axis];
    }
    return true;
}

// Of a tensor that is no mask of the kind that is taken.
static enum ga_exit refuse(const struct ga_context *context, const struct ga_model_call *call,
                           const struct ga_tensor *tensor, enum ga_mask kind, const size_t axes[AXES])
{
    char expected[EXPECTED_TEXT];
    snprintf(expected, sizeof expected,
             "%s [%zu, %zu], [%zu, %zu, %zu] or [%zu, %zu, %zu, %zu], or 1 along an axis where it is the same for all",
             kinds[kind].dtypes, axes[2], axes[3], axes[0], axes[2], axes[3], axes[0], axes[1], axes[2], axes[3]);
    return ga_refuse_shape(context, call->path, tensor, expected);
}

static uint8_t is_set(const struct ga_tensor *tensor, size_t i)
{
    const size_t width = ga_dtype_size(tensor->dtype);
    const unsigned char *bytes = (const unsigned char *)tensor->data + i * width;
    unsigned char any = 0;
    for (size_t b = 0; b < width; b++) {
        any |= bytes[b];
    }
    return any != 0;
}

// Where a mask of a call goes: its fields, and room for its bytes; the kind that is taken.
struct place {
    enum ga_mask kind;
    const uint8_t **bytes;
    const float **numbers;
    size_t *strides;
    uint8_t **copy;
};

static enum ga_exit copy_bytes(const struct ga_context *context, const struct ga_model_call *call,
                               const struct ga_tensor *tensor, const struct place *place)
{
    size_t count = 0;
    bool fits = ga_shape_elements(tensor->rank, tensor->shape, &count);
    uint8_t *copy = *place->copy = fits ? malloc(count) : NULL;
    if (!copy) {
        return ga_failed(context, "%s: no memory for tensor \"%s\"", call->path, tensor->name);
    }
    for (size_t i = 0; i < count; i++) {
        copy[i] = is_set(tensor, i);
    }
    *place->bytes = copy;
    return GA_EXIT_OK;
}

static enum ga_exit read_mask(const struct ga_context *context, const struct ga_model_call *call,
                              const struct ga_tensor *tensor, size_t q_len, size_t kv_len, const struct place *place)
{
    const size_t axes[AXES] = {call->io.batch, context->model->n_heads, q_len, kv_len};
    if (!tensor) {
        return GA_EXIT_OK;
    }
    if (!kinds[place->kind].takes(tensor->dtype) || !read_strides(tensor, axes, place->strides)) {
        return refuse(context, call, tensor, place->kind, axes);
    }
    if (place->kind == GA_MASK_ADDITIVE) {
        return ga_floats_read(context, call, tensor, place->numbers);
    }
    return copy_bytes(context, call, tensor, place);
}

// The mask of a model's own rows: by a layer's name, or as a stack of its kind calls it.
static const struct ga_tensor *find_mask(const struct ga_context *context, const struct ga_model_call *call)
{
    const struct ga_tensor *mask = ga_weights_find(call->file, "mask");
    return mask ? mask : ga_weights_find(call->file, context->model->kind == GA_ENCODER ? "src_mask" : "trg_mask");
}

enum ga_exit ga_model_call_mask(const struct ga_context *context, struct ga_model_call *call)
{
    struct ga_io *io = &call->io;
    const struct ga_model *model = context->model;
    const bool has_source = model->kind == GA_TRANSFORMER, has_memory = has_source || model->kind == GA_DECODER;
    const enum ga_mask of_memory = has_memory ? model->stack->memory_mask : GA_MASK_NONE;
    const struct {
        const struct ga_tensor *tensor;
        size_t q_len, kv_len;
        struct place place;
    } masks[] = {
        {find_mask(context, call),
         io->q_len,
         model->stack ? io->q_len : call->kv_len,
         {model->mask, &io->mask, &io->additive_mask, io->mask_strides, &call->mask}},
        {has_source ? ga_weights_find(call->file, "src_mask") : NULL,
         io->kv_len,
         io->kv_len,
         {model->mask, &io->src_mask, &io->src_additive_mask, io->src_mask_strides, &call->src_mask}},
        {has_memory ? ga_weights_find(call->file, "memory_mask") : NULL,
         io->q_len,
         io->kv_len,
         {of_memory, &io->memory_mask, &io->memory_additive_mask, io->memory_mask_strides, &call->memory_mask}},
    };
    enum ga_exit code = GA_EXIT_OK;
    for (size_t m = 0; m < sizeof masks / sizeof *masks && code == GA_EXIT_OK; m++) {
        code = read_mask(context, call, masks[m].tensor, masks[m].q_len, masks[m].kv_len, &masks[m].place);
    }
    return code;
}
