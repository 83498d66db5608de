// view_floats.c: floats of a view where they lie, and others converted into the reader's own memory. Knows no role.
#include "view_floats.h"

#include <string.h>

#include "min_max.h"

void ga_view_reader_start(struct ga_view_reader *reader, const struct ga_weight_view *view)
{
    reader->view = view;
    reader->read = view->data == NULL ? ga_float_reader_of(view->dtype) : NULL;
    reader->elements = ga_dtype_block(view->dtype, &reader->bytes);
    reader->decoded = NULL;
}

const unsigned char *ga_view_place(const struct ga_view_reader *reader, size_t at)
{
    const unsigned char *stored = reader->view->stored;
    return reader->read == NULL || at % reader->elements != 0 ? NULL : stored + at / reader->elements * reader->bytes;
}

// Reads block by block; a block of one element is an element. A block is decoded once if calls read it in order.
static void read_blocks(struct ga_view_reader *reader, size_t at, size_t count, size_t stride)
{
    for (size_t i = 0; i < count;) {
        const size_t in_block = at % reader->elements;
        const unsigned char *block = ga_view_place(reader, at - in_block);
        const size_t run = stride == 1 ? ga_min(count - i, reader->elements - in_block) : 1;
        if (block != reader->decoded) {
            reader->read(block, reader->elements, reader->block);
            reader->decoded = block;
        }
        memcpy(reader->floats + i, reader->block + in_block, run * sizeof *reader->floats);
        i += run;
        at += run * stride;
    }
}

struct ga_view_run ga_view_read(struct ga_view_reader *reader, size_t at, size_t count, size_t stride)
{
    if (reader->read == NULL) {
        return (struct ga_view_run){reader->view->data + at, stride, count};
    }
    count = ga_min(count, GA_VIEW_RUN);
    if (reader->elements == 1 && stride == 1) {
        reader->read(ga_view_place(reader, at), count, reader->floats);
    } else {
        read_blocks(reader, at, count, stride);
    }
    return (struct ga_view_run){reader->floats, 1, count};
}

float ga_view_number(struct ga_view_reader *reader, size_t at)
{
    return *ga_view_read(reader, at, 1, 1).floats;
}
