// pack_linear.c: the rows of a linear as columns of panels, a running sum at a time. How numbers are rounded is the
// format's.
#include "pack_linear.h"

#include <string.h>

#include "min_max.h"
#include "panel_formats.h"

// Some columns of one panel: `count` rows of the weight from `row` on, from column `first` on.
struct strip {
    unsigned char *panel;
    size_t width, first, row, count;
};

// The weights of a row at depths from .. from + count - 1; zeros where no input lies.
static void gather(const struct ga_packed_linear *linear, const struct ga_weight_view *weight, size_t row, size_t from,
                   size_t count, float *to)
{
    const size_t inputs = linear->inputs, pad = linear->input_pad;
    for (size_t i = 0; i < count;) {
        const size_t head = (from + i) / pad, c = (from + i) % pad, run = ga_min(pad - c, count - i);
        const size_t there = head < linear->input_heads && c < inputs ? ga_min(inputs - c, run) : 0;
        const float *at = weight->data + row * weight->row_stride + (head * inputs + c) * weight->col_stride;
        for (size_t k = 0; k < there; k++) {
            to[i + k] = at[k * weight->col_stride];
        }
        memset(to + i + there, 0, (run - there) * sizeof *to);
        i += run;
    }
}

static void pack_strip(const struct ga_packed_linear *linear, const struct ga_weight_view *weight, struct strip strip)
{
    const ga_panel_put put = ga_panel_put_of(linear->format.numbers);
    float weights[GA_LONGEST_SUM];
    size_t from = 0;
    for (size_t i = 0; i < linear->sums[0] + linear->sums[1]; i++) {
        const size_t length = linear->lengths[i < linear->sums[0] ? 0 : 1];
        for (size_t k = 0; k < strip.count; k++) {
            gather(linear, weight, strip.row + k, from, length, weights);
            put(&linear->format,
                &(struct ga_panel_column){strip.panel, strip.width, strip.first + k, weights, length, linear->factor});
        }
        strip.panel += ga_panel_sum_bytes(&linear->format, length) * strip.width;
        from += length;
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
        unsigned char *panel = panels + p * linear->columns * linear->column_bytes;
        pack_strip(linear, weight, (struct strip){panel, width, at, head * linear->rows + row, count});
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
