// series.c: outputs that a stack gives layer by layer: what each of them is called, and how many a model gives. Makes
// none of them.
#include <string.h>

#include "model_call.h"

static const struct series {
    const char *name, *field;   // in a file, and in a spec's outputs; NULL: it is given unasked
    enum ga_output first, past; // of all outputs
} series[GA_SERIES] = {
    [GA_OF_HIDDEN] = {"hidden", NULL, GA_HIDDEN, GA_LAYER_ATTENTION},
    [GA_OF_ATTENTION] = {"attention", "attention", GA_LAYER_ATTENTION, GA_LAYER_CROSS_ATTENTION},
    [GA_OF_CROSS_ATTENTION] = {"cross_attention", "cross_attention", GA_LAYER_CROSS_ATTENTION, GA_SRC_LAYER_ATTENTION},
    [GA_OF_SRC_ATTENTION] = {"src_attention", "attention", GA_SRC_LAYER_ATTENTION, GA_OUTPUTS},
};

enum ga_series ga_series_of(enum ga_output output)
{
    size_t s = 0;
    while (s < GA_SERIES && (output < series[s].first || output >= series[s].past)) {
        s++;
    }
    return (enum ga_series)s;
}

const char *ga_series_name(enum ga_series which)
{
    return series[which].name;
}

enum ga_output ga_series_output(enum ga_series which, size_t index)
{
    return (enum ga_output)(series[which].first + index);
}

size_t ga_series_count(const struct ga_model *model, enum ga_series which)
{
    const struct ga_stack *stack = model->stack, *source = model->encoder;
    const size_t counts[GA_SERIES] = {
        [GA_OF_HIDDEN] = stack ? stack->n_layers + 1 : 0,
        [GA_OF_ATTENTION] = stack && stack->attention ? stack->n_layers : 0,
        [GA_OF_CROSS_ATTENTION] = stack && stack->cross_attention ? stack->n_layers : 0,
        [GA_OF_SRC_ATTENTION] = source && source->attention ? source->n_layers : 0,
    };
    return counts[which];
}

const char *ga_series_field(enum ga_series which)
{
    return series[which].field;
}

const char *ga_series_refused(const struct ga_model *model, enum ga_series which)
{
    if (which == GA_OF_CROSS_ATTENTION && model->kind == GA_ENCODER) {
        return "the layers of an encoder attend to their own rows alone";
    }
    if (which == GA_OF_SRC_ATTENTION && model->kind != GA_TRANSFORMER) {
        return "this model is not a transformer, which has a source";
    }
    return which != GA_OF_HIDDEN && model->stack->without_attention ? "this model does not attend" : NULL;
}

enum ga_series ga_series_called(const char *text, size_t length)
{
    size_t s = 0;
    for (; s < GA_SERIES; s++) {
        const size_t name = strlen(series[s].name);
        if (length == name + strlen("_all") && strncmp(text, series[s].name, name) == 0 &&
            strncmp(text + name, "_all", strlen("_all")) == 0) {
            break;
        }
    }
    return (enum ga_series)s;
}
