// call.h: what Python's calls go through, declared for bindings/python/declarations.lua. No header of the library's.
#ifndef GA_PYTHON_CALL_H
#define GA_PYTHON_CALL_H

#include "model.h"

// The arguments of ga_model_run, kept between calls. Python's: it makes it, and no two calls use one at a time.
struct ga_python_frame {
    const struct ga_loaded *loaded;
    void *scratch;
    size_t scratch_size;
    struct ga_io io;
    struct ga_error error;
};

// ga_model_run with what is in the frame: its status.
int ga_python_call(struct ga_python_frame *frame);

// The same with other rows and room for others: io.query, and io.output.
int ga_python_attend(struct ga_python_frame *frame, const void *query, void *output);

// The same with other keys and values too: io.key and io.value.
int ga_python_attend_to(struct ga_python_frame *frame, const void *query, const void *key, const void *value,
                        void *output);

#endif
