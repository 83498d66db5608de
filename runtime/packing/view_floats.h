// view_floats.h: elements of a weight as floats, some at a time, however a view stores them. Packs nothing. The program
// uses it as well, for checksums and to round weights.
#ifndef GA_VIEW_FLOATS_H
#define GA_VIEW_FLOATS_H

#include "model.h"
#include "stored_floats.h"

enum { GA_VIEW_RUN = GA_LARGEST_BLOCK }; // elements

// Reads one view; 2 KiB.
struct ga_view_reader {
    const struct ga_weight_view *view;
    ga_float_reader read;         // NULL: the view has floats
    size_t elements, bytes;       // of a block of its type
    const unsigned char *decoded; // the block whose elements are in `block`, NULL: none
    float block[GA_LARGEST_BLOCK], floats[GA_VIEW_RUN];
};

// The view must outlive the reader; its data may be NULL if nothing is read.
void ga_view_reader_start(struct ga_view_reader *reader, const struct ga_weight_view *view);

// Elements that were read together, `count` of them, `stride` floats apart.
struct ga_view_run {
    const float *floats; // valid until the reader reads again
    size_t stride, count;
};

// Reads the elements with the indices at, at + stride, ... of the view, up to `count` of them: all of a view of floats,
// GA_VIEW_RUN at most of others. count: at least 1.
struct ga_view_run ga_view_read(struct ga_view_reader *reader, size_t at, size_t count, size_t stride);

// Where an element is stored; NULL if the view has floats, or a block does not begin with the element.
const unsigned char *ga_view_place(const struct ga_view_reader *reader, size_t at);

// One element.
float ga_view_number(struct ga_view_reader *reader, size_t at);

#endif
