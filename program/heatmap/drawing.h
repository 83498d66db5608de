// drawing.h: what `draw` draws of one call's attention, and that made into a picture. Reads no command line.
#ifndef GA_DRAWING_H
#define GA_DRAWING_H

#include "heatmap.h"
#include "labels.h"
#include "mask_visibility.h"

// What to draw of which request.
struct ga_drawing {
    struct ga_model_call *call;    // that is run
    enum ga_series series;         // of a whole model, which of a layer's attentions is drawn; GA_SERIES: of one layer
    struct ga_model_call as_layer; // of a whole model, the call as a call of that attention alone
    struct ga_model as_model;      // and the model as that attention, of which only what masks is looked at
    const struct ga_model_call *seen; // of the two requests, the one whose queries and keys are drawn
    enum ga_output output;            // the attention that is drawn
    size_t layer;                     // of a whole model
    size_t batch, first_head, heads;  // first_head + heads <= n_heads
    size_t rows, keys;                // real queries and keys
    size_t shown, cols;               // keys that are drawn, and with those that the model adds
    struct ga_labels row_labels, key_labels;
    char title[160], subtitle[200], mask[GA_MASK_VISIBILITY_TEXT + 16];
    const char **col_labels;         // [cols]; NULL: places
    char (*titles)[32];              // [heads]
    struct ga_heatmap_panel *panels; // [heads]
    float *values;                   // [heads][rows][cols]
    uint8_t *masked;                 // [heads][rows][cols]
};

// Draws what was computed into a file. The drawing's words and cells are made here, and freed by ga_drawing_free.
enum ga_exit ga_drawing_write(const struct ga_context *context, struct ga_drawing *drawing, const char *path,
                              enum ga_heatmap_form form);

// Frees what a drawing points to, labels included, but its request.
void ga_drawing_free(struct ga_drawing *drawing);

#endif
