// call.c: one call of a model by a few objects, as each argument that Python converts takes a fraction of a
// microsecond: everything else of a call stays in a frame between calls. Of arrays it checks what Python would;
// ga_model_run does the rest.
#include "call.h"

#include <string.h>

static const struct ga_python_array *array_of(const void *object, size_t head)
{
    return (const void *)((const char *)object + head);
}

const void *ga_python_data(const void *array, size_t head)
{
    return array_of(array, head)->data;
}

// The elements of an array of float32 of this shape, side by side; NULL where it is none.
static const float *rows_of(const struct ga_python_frame *frame, const void *object, const intptr_t shape[3])
{
    const struct ga_python_array *array = array_of(object, frame->head);
    const bool fits = array->rank == 3 && array->dtype == frame->f32 && (array->flags & GA_PYTHON_CONTIGUOUS) &&
                      memcmp(array->shape, shape, 3 * sizeof *shape) == 0;
    return fits ? array->data : NULL;
}

int ga_python_call(struct ga_python_frame *frame)
{
    return (int)ga_model_run(frame->loaded, &frame->io, frame->scratch, frame->scratch_size, &frame->error);
}

// Calls with frame->io.query, if it is there.
static int call_to(struct ga_python_frame *frame, const void *output)
{
    frame->io.output = array_of(output, frame->head)->data;
    return frame->io.query ? ga_python_call(frame) : GA_PYTHON_OTHER;
}

int ga_python_attend(struct ga_python_frame *frame, const void *query, const void *output)
{
    if (frame->ready != GA_PYTHON_QUERY) {
        return GA_PYTHON_OTHER;
    }
    frame->io.query = rows_of(frame, query, frame->query);
    return call_to(frame, output);
}

int ga_python_attend_to(struct ga_python_frame *frame, const void *query, const void *key, const void *value,
                        const void *output)
{
    if (frame->ready != GA_PYTHON_ALL) {
        return GA_PYTHON_OTHER;
    }
    frame->io.query = rows_of(frame, query, frame->query);
    frame->io.key = rows_of(frame, key, frame->key);
    frame->io.value = rows_of(frame, value, frame->value);
    return frame->io.key && frame->io.value ? call_to(frame, output) : GA_PYTHON_OTHER;
}

// goes_on of struct ga_batches. Several threads call it at the same time, and Python reads and writes the same fields:
// the count may be that of a batch before the newest one.
static bool goes_on(void *self, size_t sequences, size_t ids)
{
    struct ga_python_batches *run = self;
    (void)ids;
    __atomic_store_n(&run->begun, sequences, __ATOMIC_RELAXED);
    return __atomic_load_n(&run->is_stopped, __ATOMIC_RELAXED) == 0;
}

int ga_python_run_batches(struct ga_python_batches *run)
{
    run->batches.goes_on = goes_on;
    run->batches.self = run;
    return (int)ga_batches_run(run->loaded, &run->batches, &run->plan, run->scratch, run->scratch_size, &run->error);
}
