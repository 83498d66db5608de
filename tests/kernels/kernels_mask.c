// kernels_mask.c: the masks of a call: which axes each has, by the call's seed, and what it forbids. Runs nothing.
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

// What mask m of a call is about: rows of a stack over each other or a layer's over its keys, a transformer's source
// over itself, a decoder's rows over its memory.
struct mask {
    enum ga_mask kind;
    size_t sizes[MASK_AXES];
};

static struct mask mask_of(const struct call *call, size_t m)
{
    const struct ga_model *model = call->model;
    const struct shape *shape = &call->shape;
    const bool of_source = m == CALL_SRC_MASK - CALL_MASK, of_memory = m == CALL_MEMORY_MASK - CALL_MASK;
    struct mask mask = {model->mask, {shape->batch, model->n_heads, shape->q_len, shape->kv_len}};
    if (of_source) {
        mask.kind = model->kind == GA_TRANSFORMER ? model->mask : GA_MASK_NONE;
        mask.sizes[2] = shape->kv_len;
    } else if (of_memory) {
        mask.kind = model->stack ? model->stack->memory_mask : GA_MASK_NONE;
    } else if (model->stack) {
        mask.sizes[3] = shape->q_len;
    }
    return mask;
}

// Each mask of a call has another form.
static const struct mask_form *mask_form(const struct call *call, size_t m)
{
    return &mask_forms[(call->shape.seed + 2 * m) % (sizeof mask_forms / sizeof mask_forms[0])];
}

size_t call_mask_width(const struct ga_model *model, size_t m)
{
    const struct call call = {.model = model};
    return mask_of(&call, m).kind == GA_MASK_BOOL ? sizeof(uint8_t) : sizeof(float);
}

ptrdiff_t call_mask_elements(const struct call *call, size_t m, size_t strides[MASK_AXES])
{
    const struct mask mask = mask_of(call, m);
    const struct mask_form *form = mask_form(call, m);
    size_t step = 1;
    for (size_t axis = MASK_AXES; axis-- > 0;) {
        strides[axis] = form->along[axis] ? step : 0;
        step *= form->along[axis] ? mask.sizes[axis] : 1;
    }
    return form->given && mask.kind != GA_MASK_NONE ? (ptrdiff_t)step : -1;
}

void call_point_masks(struct call *call)
{
    struct ga_io *io = &call->io;
    const struct {
        const uint8_t **bytes;
        const float **numbers;
        size_t *strides;
    } fields[CALL_MASKS] = {
        {&io->mask, &io->additive_mask, io->mask_strides},
        {&io->src_mask, &io->src_additive_mask, io->src_mask_strides},
        {&io->memory_mask, &io->memory_additive_mask, io->memory_mask_strides},
    };
    for (size_t m = 0; m < CALL_MASKS; m++) {
        call_mask_elements(call, m, fields[m].strides);
        if (mask_of(call, m).kind == GA_MASK_BOOL) {
            *fields[m].bytes = call->buffers[CALL_MASK + m].data;
        } else {
            *fields[m].numbers = call->buffers[CALL_MASK + m].data;
        }
    }
}

static size_t mask_at(const size_t strides[MASK_AXES], size_t b, size_t h, size_t i, size_t j)
{
    return b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
}

static void copy_mask(struct call *call, size_t slot, const struct call *from, size_t b, size_t first, size_t m)
{
    const struct mask mask = mask_of(call, m), other = mask_of(from, m);
    const size_t width = call_mask_width(call->model, m), heads = call->model->n_heads;
    const size_t rows = ga_min(mask.sizes[2], other.sizes[2] - first), keys = ga_min(mask.sizes[3], other.sizes[3]);
    char *to = call->buffers[CALL_MASK + m].data;
    const char *source = from->buffers[CALL_MASK + m].data;
    size_t strides[MASK_AXES], from_strides[MASK_AXES];
    call_mask_elements(call, m, strides);
    call_mask_elements(from, m, from_strides);
    for (size_t at = 0; to && at < heads * rows * keys; at++) {
        const size_t h = at / keys / rows, i = at / keys % rows, j = at % keys;
        memcpy(to + mask_at(strides, slot, h, i, j) * width, source + mask_at(from_strides, b, h, first + i, j) * width,
               width);
    }
}

void call_copy_masks(struct call *call, size_t slot, const struct call *from, size_t b, size_t first)
{
    for (size_t m = 0; m < CALL_MASKS; m++) {
        copy_mask(call, slot, from, b, m == CALL_SRC_MASK - CALL_MASK ? 0 : first, m);
    }
}

// One row or more of a mask, every eighth forbidding all it is about, the others about a quarter.
static void fill_mask(struct call *call, struct rng *rng, size_t m)
{
    const struct mask mask = mask_of(call, m);
    const struct guard *buffer = &call->buffers[CALL_MASK + m];
    size_t strides[MASK_AXES];
    call_mask_elements(call, m, strides);
    const size_t width = call_mask_width(call->model, m), row = strides[3] ? mask.sizes[3] : 1;
    uint8_t *bytes = buffer->data;
    float *numbers = buffer->data;
    bool blind = false;
    for (size_t at = 0; at < buffer->bytes / width; at++) {
        blind = at % row == 0 ? rng_below(rng, 8) == 0 : blind;
        bool forbids = blind || rng_below(rng, 4) == 0;
        if (mask.kind == GA_MASK_BOOL) {
            bytes[at] = forbids ? 0 : (uint8_t)(1 + rng_below(rng, 255));
        } else {
            rng_fill_normal(rng, &numbers[at], 1, forbids ? 0 : 1);
            numbers[at] = forbids ? -INFINITY : numbers[at];
        }
    }
}

void call_fill_masks(struct call *call, struct rng *rng)
{
    for (size_t m = 0; m < CALL_MASKS; m++) {
        fill_mask(call, rng, m);
    }
}
