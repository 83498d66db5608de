// call.h: what Python's calls go through, declared for bindings/python/declarations.lua. No header of the library's.
#ifndef GA_PYTHON_CALL_H
#define GA_PYTHON_CALL_H

#include "batches.h"
#include "model.h"

// What an array of numpy has after the head of a Python object, as numpy's own headers compile it into every extension.
struct ga_python_array {
    void *data;
    int rank;
    const intptr_t *shape; // [rank]
    const intptr_t *strides;
    const void *base;
    const void *dtype;
    int flags; // of enum ga_python_flags
};

// The flag of an array whose elements lie side by side.
enum ga_python_flags { GA_PYTHON_CONTIGUOUS = 0x1 };

// What io of a frame is filled for.
enum ga_python_ready { GA_PYTHON_NOTHING, GA_PYTHON_QUERY, GA_PYTHON_ALL };

// What ga_python_attend says where it did not call the model; no enum ga_status.
enum ga_python_answer { GA_PYTHON_OTHER = -1 };

// The arguments of ga_model_run, kept between calls. Python's: it makes it, and no two calls use one at a time.
struct ga_python_frame {
    const struct ga_loaded *loaded;
    void *scratch;
    size_t scratch_size;
    size_t head;     // bytes of the head of a Python object
    const void *f32; // numpy's float32
    struct ga_io io;
    int ready;         // of enum ga_python_ready: for arrays of these shapes
    intptr_t query[3]; // [batch, q_len, d_model]
    intptr_t key[3];   // [batch, kv_len, k_dim]
    intptr_t value[3]; // [batch, kv_len, v_dim]
    struct ga_error error;
};

// ga_model_run with what is in the frame: its status.
int ga_python_call(struct ga_python_frame *frame);

// The same with other rows and room for others, two arrays of numpy: io.query, and io.output, which was made for the
// shape that the frame is ready for. Returns its status, or GA_PYTHON_OTHER where the frame is not ready for query: it
// is of another shape or type, or not contiguous.
int ga_python_attend(struct ga_python_frame *frame, const void *query, const void *output);

// The same with other keys and values too: io.key and io.value.
int ga_python_attend_to(struct ga_python_frame *frame, const void *query, const void *key, const void *value,
                        const void *output);

// Where the elements of an array lie: for Python to compare with what numpy says.
const void *ga_python_data(const void *array, size_t head);

// One run of ga_batches_run, which Python looks at and ends while it goes on in another thread.
struct ga_python_batches {
    const struct ga_loaded *loaded;
    struct ga_batches batches; // but for goes_on and self
    struct ga_batch_plan plan;
    void *scratch;
    size_t scratch_size;
    int is_stopped; // Python's: not 0 where no further batch shall begin
    size_t begun;   // sequences of batches that have begun
    struct ga_error error;
};

// Its status.
int ga_python_run_batches(struct ga_python_batches *run);

#endif
