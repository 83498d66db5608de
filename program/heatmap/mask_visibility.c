// mask_visibility.c: causal range, window and mask of one pair of query and key. Reads no scores: a weight of zero may
// be seen.
#include "mask_visibility.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t ga_query_rows(const struct ga_model_call *call, size_t b)
{
    const int32_t *lengths = call->io.q_lengths;
    return lengths ? (size_t)lengths[b] : call->io.q_len;
}

bool ga_is_self(const struct ga_model_call *call)
{
    return !call->io.key && !call->io.key_tokens && !call->io.memory;
}

size_t ga_key_rows(const struct ga_model_call *call, size_t b)
{
    if (call->io.kv_lengths) {
        return (size_t)call->io.kv_lengths[b];
    }
    return ga_is_self(call) ? ga_query_rows(call, b) : call->kv_len;
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

bool ga_sees(const struct ga_model *model, const struct ga_model_call *call, size_t b, size_t h, size_t i, size_t j)
{
    const struct ga_io *io = &call->io;
    const size_t *strides = io->mask_strides;
    ptrdiff_t place = (ptrdiff_t)i;
    if (model->causal == GA_CAUSAL_BOTTOM_RIGHT) {
        place += (ptrdiff_t)ga_key_rows(call, b) - (ptrdiff_t)ga_query_rows(call, b);
    }
    size_t at = b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3];
    bool hidden = (io->mask && !io->mask[at]) || (io->additive_mask && io->additive_mask[at] == -INFINITY);
    return !hidden && in_range(model, place, (ptrdiff_t)j);
}

const char *ga_mask_visibility_text(const struct ga_model *model, const struct ga_model_call *call,
                                    char text[GA_MASK_VISIBILITY_TEXT])
{
    char window[40] = "";
    if (model->window) {
        snprintf(window, sizeof window, "window of %zu", model->window);
    }
    const char *parts[] = {model->causal != GA_CAUSAL_NONE ? "causal" : "", window,
                           call->io.mask || call->io.additive_mask ? "mask" : ""};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, GA_MASK_VISIBILITY_TEXT - used, "%s%s", used && *parts[i] ? ", " : "", parts[i]);
    }
    return text;
}
