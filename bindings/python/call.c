// call.c: one call of a model by a few addresses, as each argument that Python converts takes a fraction of a
// microsecond: everything else of a call stays in a frame between calls. Checks nothing: ga_model_run does.
#include "call.h"

int ga_python_call(struct ga_python_frame *frame)
{
    return (int)ga_model_run(frame->loaded, &frame->io, frame->scratch, frame->scratch_size, &frame->error);
}

int ga_python_attend(struct ga_python_frame *frame, const void *query, void *output)
{
    frame->io.query = query;
    frame->io.output = output;
    return ga_python_call(frame);
}

int ga_python_attend_to(struct ga_python_frame *frame, const void *query, const void *key, const void *value,
                        void *output)
{
    frame->io.key = key;
    frame->io.value = value;
    return ga_python_attend(frame, query, output);
}
