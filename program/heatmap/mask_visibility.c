// mask_visibility.c: causal range, window and mask of one pair of query and key. Reads no scores: a weight of zero may
// be seen.
#include "mask_visibility.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t ga_query_rows(const struct ga_request *request, size_t b)
{
    const int32_t *lengths = request->io.q_lengths;
    return lengths ? (size_t)lengths[b] : request->io.q_len;
}

bool ga_is_self(const struct ga_request *request)
{
    return !request->io.key && !request->io.key_tokens && !request->io.memory;
}

size_t ga_key_rows(const struct ga_request *request, size_t b)
{
    if (request->io.kv_lengths) {
        return (size_t)request->io.kv_lengths[b];
    }
    return ga_is_self(request) ? ga_query_rows(request, b) : request->kv_len;
}

// A window counts from a query's own place, which is its row, or the last key its causal rule lets it see.
static bool in_range(const struct ga_model *model, ptrdiff_t place, ptrdiff_t key)
{
    const ptrdiff_t window = (ptrdiff_t)model->window;
    if (model->causal != GA_CAUSAL_NONE && key > place) {
        return false;
    }
    return window == 0 || (key > place - window && (!model->window_both || key < place + window));
}

bool ga_sees(const struct ga_model *model, const struct ga_request *request, size_t b, size_t h, size_t i, size_t j)
{
    const struct ga_io *io = &request->io;
    const size_t *strides = io->mask_strides;
    ptrdiff_t place = (ptrdiff_t)i;
    if (model->causal == GA_CAUSAL_BOTTOM_RIGHT) {
        place += (ptrdiff_t)ga_key_rows(request, b) - (ptrdiff_t)ga_query_rows(request, b);
    }
    size_t at = b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
    bool hidden = (io->mask && !io->mask[at]) || (io->additive_mask && io->additive_mask[at] == -INFINITY);
    return !hidden && in_range(model, place, (ptrdiff_t)j);
}

const char *ga_sight_text(const struct ga_model *model, const struct ga_request *request, char text[GA_SIGHT_TEXT])
{
    char window[40] = "";
    if (model->window) {
        snprintf(window, sizeof window, "window of %zu", model->window);
    }
    const char *parts[] = {model->causal != GA_CAUSAL_NONE ? "causal" : "", window,
                           request->io.mask || request->io.additive_mask ? "mask" : ""};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, GA_SIGHT_TEXT - used, "%s%s", used && *parts[i] ? ", " : "", parts[i]);
    }
    return text;
}
