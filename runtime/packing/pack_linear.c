// pack_linear.c: the rows of a linear as columns of panels, a running sum at a time. How numbers are rounded is the
// format's.
#include "pack_linear.h"

#include <stdint.h>

#include "min_max.h"
#include "panel_formats.h"
#include "view_floats.h"

_Static_assert((int)GA_LONGEST_SUM <= (int)GA_VIEW_RUN, "a running sum of integers is read at once");

// Packs `count` weights of each column of a running sum, from index `at` on. If not all can be read at a time, the sum
// is of floats or bf16, which have no header, and its pieces follow each other.
static void pack_sum(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t at, size_t count,
                     struct ga_panel_strip strip)
{
    const size_t stride = reader->view->col_stride;
    const unsigned char *place = ga_view_place(reader, at);
    strip.col_stride = stride;
    strip.count = count;
    if (place != NULL && ga_panel_move(&linear->format, reader->view->dtype, place, &strip)) {
        return;
    }
    for (size_t done = 0; done < count; done += strip.count) {
        const struct ga_view_run run = ga_view_read(reader, at + done * stride, count - done, stride);
        strip.from = run.floats;
        strip.col_stride = run.stride;
        strip.count = run.count;
        ga_panel_put(&linear->format, &strip);
        strip.sum += ga_panel_sum_bytes(&linear->format, strip.count) * strip.width;
    }
}

// Packs the running sums of an input head, whose weights begin at index `at`.
static void pack_input_head(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t at,
                            struct ga_panel_strip strip)
{
    size_t from = 0;
    for (size_t i = 0; i < linear->sums[0] + linear->sums[1]; i++) {
        const size_t length = linear->lengths[i < linear->sums[0] ? 0 : 1];
        pack_sum(linear, reader, at + from * reader->view->col_stride, ga_min(length, linear->inputs - from), strip);
        strip.sum += ga_panel_sum_bytes(&linear->format, length) * strip.width;
        from += length;
    }
}

// Rows of the weight that a head has: those of all its parts where blocks are added.
static size_t head_rows(const struct ga_packed_linear *linear)
{
    return linear->blocks == NULL ? linear->rows : linear->own_parts * linear->rows;
}

// Adds a block of a weight, whose column of the panel begins at index `at`, if the block is this weight's.
static void pack_block(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t at, unsigned block,
                       struct ga_panel_strip strip)
{
    const struct ga_weight_view *weight = reader->view;
    const size_t part = block % linear->parts - linear->first_part; // huge where it is before the first
    if (part < linear->own_parts) {
        at += part * linear->rows * weight->row_stride + block / linear->parts * linear->inputs * weight->col_stride;
        pack_input_head(linear, reader, at, strip);
    }
}

// Packs rows of the weight from `row` on, as columns of one panel. strip: all but what it reads.
static void pack_columns(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t row,
                         struct ga_panel_strip strip)
{
    const struct ga_weight_view *weight = reader->view;
    const size_t head_bytes = linear->column_bytes / linear->input_heads * strip.width, at = row * weight->row_stride;
    for (size_t head = 0; head < linear->input_heads; head++, strip.sum += head_bytes) {
        if (linear->blocks == NULL) {
            pack_input_head(linear, reader, at + head * linear->inputs * weight->col_stride, strip);
            continue;
        }
        const struct ga_block_sum *sum = &linear->blocks[head];
        for (size_t i = 0; i < sum->count; i++) {
            struct ga_panel_strip term = strip;
            term.factor *= sum->terms[i].sign;
            pack_block(linear, reader, at, sum->terms[i].block, term);
        }
    }
}

// The rows of a head, panel by panel. Rows that are not floats are read one at a time.
static void pack_head(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t head,
                      unsigned char *panels)
{
    const size_t most = reader->read == NULL ? SIZE_MAX : 1;
    for (size_t row = 0; row < linear->rows;) {
        const size_t column = linear->first + row, p = column / linear->columns, at = column % linear->columns;
        const size_t width = p + 1 < linear->panels ? linear->columns : linear->last_columns;
        const size_t count = ga_min(ga_min(width - at, linear->rows - row), most);
        pack_columns(linear, reader, head * head_rows(linear) + row,
                     (struct ga_panel_strip){.sum = panels + p * linear->columns * linear->column_bytes,
                                             .width = width,
                                             .first = at,
                                             .columns = count,
                                             .row_stride = reader->view->row_stride,
                                             .factor = linear->factor});
        row += count;
    }
}

static void pack_biases(const struct ga_packed_linear *linear, struct ga_view_reader *reader, size_t head, float *to)
{
    for (size_t i = 0; i < head_rows(linear); i++) {
        const size_t at = (head * head_rows(linear) + i) * reader->view->row_stride;
        to[linear->first + i] = linear->factor * ga_view_number(reader, at);
    }
}

void ga_pack_linear(const struct ga_packed_linear *linear, const struct ga_weight_view *weight,
                    const struct ga_weight_view *bias, unsigned char *block)
{
    struct ga_view_reader reader; // one after the other, as each takes 2 KiB of stack
    ga_view_reader_start(&reader, weight);
    for (size_t head = 0; head < linear->heads; head++) {
        const size_t run = head / linear->together, in_run = head % linear->together;
        pack_head(linear, &reader, head,
                  block + linear->panels_at + run * linear->run_bytes + in_run * linear->head_bytes);
    }
    if (bias == NULL) {
        return;
    }
    ga_view_reader_start(&reader, bias);
    for (size_t head = 0; head < linear->heads; head++) {
        const size_t run = head / linear->together, in_run = head % linear->together;
        pack_biases(linear, &reader, head,
                    (float *)(void *)(block + linear->bias_at) + run * linear->run_biases +
                        in_run * linear->head_biases);
    }
}
