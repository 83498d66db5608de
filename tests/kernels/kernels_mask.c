// kernels_mask.c: the mask of a call: which axes it has, by the call's seed, and what it forbids. Runs nothing.
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "min_max.h"

enum { MASK_AXES = 4 };

// Along which axes a call's mask has an element for each place, and 1 otherwise.
static const struct mask_form {
    bool given, along[MASK_AXES];
} mask_forms[] = {
    {true, {true, true, true, true}},   {true, {false, false, true, true}},
    {true, {true, false, false, true}}, {false, {false}},
    {true, {false, true, false, true}}, {true, {true, false, true, false}},
    {true, {true, false, true, true}},
};

static const struct mask_form *mask_form(const struct call *call)
{
    return &mask_forms[call->shape.seed % (sizeof mask_forms / sizeof mask_forms[0])];
}

size_t call_mask_width(const struct ga_model *model)
{
    return model->mask == GA_MASK_BOOL ? sizeof(uint8_t) : sizeof(float);
}

// Keys a mask is about: of a stack its own rows.
static size_t mask_keys(const struct call *call)
{
    return call->model->stack ? call->shape.q_len : call->shape.kv_len;
}

ptrdiff_t call_mask_elements(const struct call *call, size_t strides[MASK_AXES])
{
    const struct shape *shape = &call->shape;
    const size_t sizes[MASK_AXES] = {shape->batch, call->model->n_heads, shape->q_len, mask_keys(call)};
    const struct mask_form *form = mask_form(call);
    size_t step = 1;
    for (size_t axis = MASK_AXES; axis-- > 0;) {
        strides[axis] = form->along[axis] ? step : 0;
        step *= form->along[axis] ? sizes[axis] : 1;
    }
    return form->given && call->model->mask != GA_MASK_NONE ? (ptrdiff_t)step : -1;
}

static size_t mask_at(const struct call *call, size_t b, size_t h, size_t i, size_t j)
{
    const size_t *strides = call->io.mask_strides;
    return b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
}

void call_copy_mask(struct call *call, size_t slot, const struct call *from, size_t b, size_t first)
{
    const size_t width = call_mask_width(call->model), heads = call->model->n_heads;
    const size_t rows = ga_min(call->shape.q_len, from->shape.q_len - first);
    const size_t keys = ga_min(mask_keys(call), mask_keys(from));
    char *to = call->buffers[CALL_MASK].data;
    const char *source = from->buffers[CALL_MASK].data;
    for (size_t at = 0; to && at < heads * rows * keys; at++) {
        size_t h = at / keys / rows, i = at / keys % rows, j = at % keys;
        memcpy(to + mask_at(call, slot, h, i, j) * width, source + mask_at(from, b, h, first + i, j) * width, width);
    }
}

// One row or more of a mask, every eighth forbidding all it is about, the others about a quarter.
void call_fill_mask(struct call *call, struct rng *rng)
{
    const struct guard *buffer = &call->buffers[CALL_MASK];
    const size_t width = call_mask_width(call->model), row = call->io.mask_strides[3] ? mask_keys(call) : 1;
    uint8_t *bytes = buffer->data;
    float *numbers = buffer->data;
    bool blind = false;
    for (size_t at = 0; at < buffer->bytes / width; at++) {
        blind = at % row == 0 ? rng_below(rng, 8) == 0 : blind;
        bool forbids = blind || rng_below(rng, 4) == 0;
        if (call->model->mask == GA_MASK_BOOL) {
            bytes[at] = forbids ? 0 : (uint8_t)(1 + rng_below(rng, 255));
        } else {
            rng_fill_normal(rng, &numbers[at], 1, forbids ? 0 : 1);
            numbers[at] = forbids ? -INFINITY : numbers[at];
        }
    }
}
