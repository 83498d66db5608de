// pack_linear.c: the rows of a linear as columns of panels, a running sum at a time. How numbers are rounded is the
// format's.
#include "pack_linear.h"

#include "min_max.h"
#include "panel_formats.h"

// Packs rows of the weight from `row` on, as columns of one panel. strip: all but what it reads.
static void pack_columns(const struct ga_packed_linear *linear, const struct ga_weight_view *weight, size_t row,
                         struct ga_panel_strip strip)
{
    unsigned char *panel = strip.sum;
    const size_t head_bytes = linear->column_bytes / linear->input_heads * strip.width;
    for (size_t head = 0; head < linear->input_heads; head++) {
        size_t from = 0;
        strip.sum = panel + head * head_bytes;
        for (size_t i = 0; i < linear->sums[0] + linear->sums[1]; i++) {
            const size_t length = linear->lengths[i < linear->sums[0] ? 0 : 1];
            strip.from = weight->data + row * weight->row_stride + (head * linear->inputs + from) * weight->col_stride;
            strip.count = ga_min(length, linear->inputs - from);
            ga_panel_put(&linear->format, &strip);
            strip.sum += ga_panel_sum_bytes(&linear->format, length) * strip.width;
            from += length;
        }
    }
}

// The rows of a head, panel by panel.
static void pack_head(const struct ga_packed_linear *linear, const struct ga_weight_view *weight, size_t head,
                      unsigned char *panels)
{
    for (size_t row = 0; row < linear->rows;) {
        const size_t column = linear->first + row, p = column / linear->columns, at = column % linear->columns;
        const size_t width = p + 1 < linear->panels ? linear->columns : linear->last_columns;
        const size_t count = ga_min(width - at, linear->rows - row);
        pack_columns(linear, weight, head * linear->rows + row,
                     (struct ga_panel_strip){.sum = panels + p * linear->columns * linear->column_bytes,
                                             .width = width,
                                             .first = at,
                                             .columns = count,
                                             .row_stride = weight->row_stride,
                                             .col_stride = weight->col_stride,
                                             .factor = linear->factor});
        row += count;
    }
}

static void pack_biases(const struct ga_packed_linear *linear, const struct ga_weight_view *bias, size_t head,
                        float *to)
{
    for (size_t i = 0; i < linear->rows; i++) {
        to[linear->first + i] = linear->factor * bias->data[(head * linear->rows + i) * bias->row_stride];
    }
}

void ga_pack_linear(const struct ga_packed_linear *linear, const struct ga_weight_view *weight,
                    const struct ga_weight_view *bias, unsigned char *block)
{
    float *biases = (float *)(void *)(block + linear->bias_at);
    for (size_t head = 0; head < linear->heads; head++) {
        const size_t run = head / linear->together, in_run = head % linear->together;
        pack_head(linear, weight, head,
                  block + linear->panels_at + run * linear->run_bytes + in_run * linear->head_bytes);
        if (bias->data != NULL) {
            pack_biases(linear, bias, head, biases + run * linear->run_biases + in_run * linear->head_biases);
        }
    }
}
