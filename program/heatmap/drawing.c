// drawing.c: the cells and the words of one attention, as a picture by heatmap.h. Computes no attention.
#include "drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Cells ----------------------------------------------------------------------------------------------------------

// The weights of a head's query: [kv_len], then those of the keys that the model adds.
static const float *weights_of(const struct ga_drawing *drawing, const struct ga_tensor *attention, size_t head,
                               size_t row)
{
    const size_t *shape = attention->shape + attention->rank - 3; // heads, queries, keys
    return (const float *)attention->data + ((drawing->batch * shape[0] + head) * shape[1] + row) * shape[2];
}

// Padding is drawn where it has weight, as a fill may give it that does not mask.
static size_t shown_keys(const struct ga_drawing *drawing, const struct ga_tensor *attention)
{
    size_t shown = drawing->keys;
    for (size_t head = drawing->first_head; head < drawing->first_head + drawing->heads; head++) {
        for (size_t i = 0; i < drawing->rows; i++) {
            const float *weights = weights_of(drawing, attention, head, i);
            for (size_t j = shown; j < drawing->seen->kv_len; j++) {
                shown = weights[j] != 0.0f ? j + 1 : shown;
            }
        }
    }
    return shown;
}

static bool is_masked(const struct ga_drawing *drawing, size_t head, size_t i, size_t j)
{
    if (j >= drawing->shown) { // a key that the model adds: all see it
        return false;
    }
    return j >= drawing->keys || !ga_sees(&drawing->as_model, drawing->seen, drawing->batch, head, i, j);
}

static void fill_panel(const struct ga_drawing *drawing, const struct ga_tensor *attention, size_t panel)
{
    size_t head = drawing->first_head + panel, at = panel * drawing->rows * drawing->cols;
    drawing->panels[panel] =
        (struct ga_heatmap_panel){drawing->titles[panel], drawing->values + at, drawing->cols, drawing->masked + at};
    snprintf(drawing->titles[panel], sizeof drawing->titles[panel], "head %zu", head);
    for (size_t i = 0; i < drawing->rows; i++) {
        const float *weights = weights_of(drawing, attention, head, i);
        for (size_t j = 0; j < drawing->cols; j++, at++) {
            drawing->values[at] = weights[j < drawing->shown ? j : drawing->seen->kv_len + j - drawing->shown];
            drawing->masked[at] = is_masked(drawing, head, i, j);
        }
    }
}

// -- Words ----------------------------------------------------------------------------------------------------------

// Names for the columns, where the keys have some: of padding and added keys what they are.
static void fill_labels(const struct ga_drawing *drawing, const char *const *names)
{
    for (size_t j = 0; j < drawing->cols; j++) {
        drawing->col_labels[j] = j < drawing->keys ? names[j] : j < drawing->shown ? "(padding)" : "(added)";
    }
}

enum { PADDING_TEXT = 96 };

// "; padding to 12 queries and 12 keys is not drawn", of those sides that have some.
static void describe_padding(const struct ga_drawing *drawing, char text[PADDING_TEXT])
{
    size_t q_len = drawing->seen->io.q_len, kv_len = drawing->seen->kv_len;
    char queries[32] = "", keys[32] = "";
    if (drawing->rows < q_len) {
        snprintf(queries, sizeof queries, "%zu queries", q_len);
    }
    if (drawing->shown < kv_len) {
        snprintf(keys, sizeof keys, "%zu keys", kv_len);
    }
    text[0] = '\0';
    if (*queries || *keys) {
        snprintf(text, PADDING_TEXT, "; padding to %s%s%s is not drawn", queries, *queries && *keys ? " and " : "",
                 keys);
    }
}

// What is drawn, of a whole model by which of a layer's attentions it is.
static const char *const attentions[GA_SERIES + 1] = {
    [GA_OF_ATTENTION] = "attention",
    [GA_OF_CROSS_ATTENTION] = "cross attention",
    [GA_OF_SRC_ATTENTION] = "source attention",
    [GA_SERIES] = "attention",
};

static void fill_words(const struct ga_context *context, struct ga_drawing *drawing)
{
    size_t added = drawing->cols - drawing->shown;
    char layer[40] = "", head[40] = "", extra[48] = "", padding[PADDING_TEXT], mask[GA_MASK_VISIBILITY_TEXT];
    if (context->model->stack) {
        snprintf(layer, sizeof layer, " in layer %zu", drawing->layer);
    }
    if (drawing->heads == 1 && context->model->n_heads > 1) {
        snprintf(head, sizeof head, ", head %zu", drawing->first_head);
    }
    if (added) {
        snprintf(extra, sizeof extra, " and %zu added by the model", added);
    }
    describe_padding(drawing, padding);
    snprintf(drawing->title, sizeof drawing->title, "%s: %s of sequence %zu%s%s", context->model->name,
             attentions[drawing->series], drawing->batch, layer, head);
    snprintf(drawing->subtitle, sizeof drawing->subtitle, "%zu quer%s by %zu key%s%s%s", drawing->rows,
             drawing->rows == 1 ? "y" : "ies", drawing->shown, drawing->shown == 1 ? "" : "s", extra, padding);
    ga_mask_visibility_text(&drawing->as_model, drawing->seen, mask);
    snprintf(drawing->mask, sizeof drawing->mask, "%s%s%s", mask, *mask && drawing->shown > drawing->keys ? ", " : "",
             drawing->shown > drawing->keys ? "lengths" : "");
}

// -- The picture ----------------------------------------------------------------------------------------------------

static enum ga_exit write_picture(const struct ga_context *context, const struct ga_drawing *drawing, const char *path,
                                  enum ga_heatmap_form form)
{
    struct ga_heatmap map = {
        .title = drawing->title,
        .subtitle = drawing->subtitle,
        .mask = *drawing->mask ? drawing->mask : NULL,
        .row_axis = "queries",
        .col_axis = "keys",
        .value_name = "attention weight",
        .rows = drawing->rows,
        .cols = drawing->cols,
        .row_labels = drawing->row_labels.lines,
        .col_labels = drawing->col_labels,
        .panels = drawing->panels,
        .n_panels = drawing->heads,
    };
    struct ga_error error;
    if (ga_heatmap_write(path, form, &map, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    ga_print_line("%s: %s, %zu head%s, %s", path, drawing->title, drawing->heads, drawing->heads == 1 ? "" : "s",
                  drawing->subtitle);
    return GA_EXIT_OK;
}

// Memory for the cells and the words of every panel; false where there is none.
static bool make_room(struct ga_drawing *drawing, bool named)
{
    size_t shape[] = {drawing->heads, drawing->rows, drawing->cols}, cells = 0;
    if (!ga_shape_elements(3, shape, &cells)) {
        return false;
    }
    drawing->titles = calloc(drawing->heads, sizeof *drawing->titles);
    drawing->panels = calloc(drawing->heads, sizeof *drawing->panels);
    drawing->values = calloc(cells, sizeof *drawing->values);
    drawing->masked = calloc(cells, sizeof *drawing->masked);
    drawing->col_labels = named ? calloc(drawing->cols, sizeof *drawing->col_labels) : NULL;
    return drawing->titles && drawing->panels && drawing->values && drawing->masked && (!named || drawing->col_labels);
}

enum ga_exit ga_drawing_write(const struct ga_context *context, struct ga_drawing *drawing, const char *path,
                              enum ga_heatmap_form form)
{
    const struct ga_tensor attention = ga_model_call_output(context, drawing->call, drawing->output);
    const char *const *names = ga_is_self(drawing->seen) ? drawing->row_labels.lines : drawing->key_labels.lines;
    drawing->shown = shown_keys(drawing, &attention);
    drawing->cols = drawing->shown + attention.shape[attention.rank - 1] - drawing->seen->kv_len;
    if (!make_room(drawing, names != NULL)) {
        return ga_failed(context, "%s: no memory for the picture", path);
    }
    for (size_t p = 0; p < drawing->heads; p++) {
        fill_panel(drawing, &attention, p);
    }
    if (names) {
        fill_labels(drawing, names);
    }
    fill_words(context, drawing);
    return write_picture(context, drawing, path, form);
}

void ga_drawing_free(struct ga_drawing *drawing)
{
    ga_labels_free(&drawing->row_labels);
    ga_labels_free(&drawing->key_labels);
    free(drawing->col_labels);
    free(drawing->values);
    free(drawing->titles);
    free(drawing->panels);
    free(drawing->masked);
}
