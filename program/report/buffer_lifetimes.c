// buffer_lifetimes.c: the buffers of a whole model's scratch over the steps of one layer, as text and as a picture that
// needs nothing but itself. Knows names and sizes, not what is in them.
#include <stdio.h>

#include "info.h"
#include "made_file.h"

static const char *const rows_of[] = {[GA_ROWS_ALL] = "every row",
                                      [GA_ROWS_MEMORY] = "every row of the memory",
                                      [GA_ROWS_BLOCK] = "a thread's block",
                                      [GA_ROWS_THREAD] = "a thread"};

void ga_buffer_lifetimes_print(const struct ga_stack *stack)
{
    if (stack->n_buffers > 0) {
        printf("\nbuffers over the steps of a layer\n");
    }
    for (size_t i = 0; i < stack->n_buffers; i++) {
        const struct ga_stack_buffer *b = &stack->buffers[i];
        printf("  %-8s %6zu floats, %s: %s%s%s\n", b->name, b->floats, rows_of[b->rows], stack->steps[b->from],
               b->from == b->to ? "" : " to ", b->from == b->to ? "" : stack->steps[b->to]);
    }
}

enum { MARGIN = 16, LABELS = 90, COLUMN = 210, ROW = 30, HEAD = 64, FOOT = 34 };

static void draw_head(FILE *file, const char *name, const struct ga_stack *stack)
{
    const size_t width = 2 * MARGIN + LABELS + stack->n_steps * COLUMN, height = HEAD + stack->n_buffers * ROW + FOOT;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" "
            "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
            "<title>Buffers of %s over the steps of a layer</title>\n"
            "<style>\n.ground{fill:#fff}text{fill:#222}.line{stroke:#ccc}.all{fill:#7fb2e5}.memory{fill:#9ad1a5}"
            ".block,.thread{fill:#f0b775}.on{fill:#111}\n@media(prefers-color-scheme:dark){.ground{fill:#161616}"
            "text{fill:#ddd}.line{stroke:#444}.on{fill:#111}}\n</style>\n"
            "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"15\">%s: what is alive when, in each of its %zu layers</text>\n",
            width, height, width, height, name, MARGIN, name, stack->n_layers);
    for (size_t i = 0; i <= stack->n_steps; i++) {
        const size_t x = MARGIN + LABELS + i * COLUMN;
        fprintf(file, "<line class=\"line\" x1=\"%zu\" y1=\"%d\" x2=\"%zu\" y2=\"%zu\"/>\n", x, HEAD - 22, x,
                height - FOOT);
        if (i < stack->n_steps) {
            fprintf(file, "<text x=\"%zu\" y=\"%d\">%zu. %s</text>\n", x + 6, HEAD - 8, i + 1, stack->steps[i]);
        }
    }
}

static void draw_buffer(FILE *file, const struct ga_stack_buffer *buffer, size_t at)
{
    static const char *const classes[] = {
        [GA_ROWS_ALL] = "all", [GA_ROWS_MEMORY] = "memory", [GA_ROWS_BLOCK] = "block", [GA_ROWS_THREAD] = "thread"};
    const size_t y = HEAD + at * ROW, x = MARGIN + LABELS + buffer->from * COLUMN;
    fprintf(file,
            "<text x=\"%d\" y=\"%zu\">%s</text>\n"
            "<rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" rx=\"3\"/>\n"
            "<text class=\"on\" x=\"%zu\" y=\"%zu\">%zu floats, %s</text>\n",
            MARGIN, y + 19, buffer->name, classes[buffer->rows], x + 2, y + 4,
            (buffer->to - buffer->from + 1) * COLUMN - 4, ROW - 8, x + 8, y + 19, buffer->floats,
            rows_of[buffer->rows]);
}

static bool draw(FILE *file, const void *data)
{
    const struct ga_model *model = data;
    const struct ga_stack *stack = model->stack;
    draw_head(file, model->name, stack);
    for (size_t i = 0; i < stack->n_buffers; i++) {
        draw_buffer(file, &stack->buffers[i], i);
    }
    return fprintf(file,
                   "<text x=\"%d\" y=\"%zu\">Attention's own scratch is dead where the blocks are alive, and lies in "
                   "the same memory.</text>\n</svg>\n",
                   MARGIN, HEAD + stack->n_buffers * ROW + 20) >= 0;
}

enum ga_exit ga_buffer_lifetimes_draw(const struct ga_context *context, const char *path)
{
    return ga_made_file_write(context, path, "no memory for the picture", draw, context->model);
}
