// outputs.c: which outputs there are, by name, and which of them a model gives. Makes none of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_call.h"

static const struct output {
    const char *name;
    bool of_stack;     // no layer alone has it
    const char *field; // of a spec that would give it; NULL: outputs = { name }
} outputs[GA_OUTPUT_MORE] = {
    [GA_OUTPUT] = {"output", false, NULL},
    [GA_ATTENTION] = {"attention", false, NULL},
    [GA_ATTENTION_MEAN] = {"attention_mean", false, NULL},
    [GA_CACHE_KEYS] = {"cache_keys", false, "cache = 1024"},
    [GA_CACHE_VALUES] = {"cache_values", false, "cache = 1024"},
    [GA_EMBEDDING] = {"embedding", true, "pool = { kind = \"mean\" }"},
    [GA_LOGITS] = {"logits", true, "logits = { kind = \"linear\" }"},
    [GA_LAST_LOGITS] = {"last_logits", true, "logits = { kind = \"linear\" }"},
    [GA_CLASS_LOGITS] = {"class_logits", true, "classifier = { labels = 2 }"},
};

static bool is_given(const struct ga_model *model, enum ga_output output)
{
    const struct ga_stack *stack = model->stack;
    const bool given[GA_OUTPUT_MORE] = {
        [GA_OUTPUT] = true,
        [GA_ATTENTION] = model->attention_output,
        [GA_ATTENTION_MEAN] = model->attention_mean_output,
        [GA_CACHE_KEYS] = model->cache > 0,
        [GA_CACHE_VALUES] = model->cache > 0,
        [GA_EMBEDDING] = stack && stack->pool != GA_POOL_NONE,
        [GA_LOGITS] = stack && stack->logits != GA_LOGITS_NONE,
        [GA_LAST_LOGITS] = stack && stack->logits != GA_LOGITS_NONE,
        [GA_CLASS_LOGITS] = stack && stack->n_labels > 0,
    };
    return given[output];
}

const char *ga_output_name(enum ga_output output, char text[GA_OUTPUT_NAME])
{
    if (output < GA_OUTPUT_MORE) {
        return outputs[output].name;
    }
    if (output < GA_HIDDEN) {
        return ga_intermediate_name((enum ga_intermediate)(output - GA_OUTPUT_MORE));
    }
    const enum ga_series series = ga_series_of(output);
    snprintf(text, GA_OUTPUT_NAME, "%s_%d", ga_series_name(series), (int)output - (int)ga_series_output(series, 0));
    return text;
}

enum ga_output ga_output_called(const char *name, size_t length)
{
    size_t output = 0;
    char text[GA_OUTPUT_NAME];
    for (; output < GA_OUTPUTS; output++) {
        const char *candidate = ga_output_name((enum ga_output)output, text);
        if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
            break;
        }
    }
    return (enum ga_output)output;
}

bool ga_has_output(const struct ga_model *model, enum ga_output output)
{
    const enum ga_series series = ga_series_of(output);
    if (series < GA_SERIES) {
        return (size_t)output < (size_t)ga_series_output(series, ga_series_count(model, series));
    }
    return output < GA_OUTPUT_MORE ? is_given(model, output) : model->intermediates[output - GA_OUTPUT_MORE];
}

bool ga_output_usual(const struct ga_model *model, enum ga_output output)
{
    return ga_has_output(model, output) && output != GA_LOGITS && output < GA_HIDDEN;
}

// The range of a series that a model has: "hidden_0 to hidden_6".
static int print_range(const struct ga_model *model, enum ga_series series, char *text, size_t size)
{
    const char *name = ga_series_name(series);
    const size_t count = ga_series_count(model, series);
    return count == 1 ? snprintf(text, size, "%s_0", name)
                      : snprintf(text, size, "%s_0 to %s_%zu", name, name, count - 1);
}

// Of a stack: what it gives layer by layer, or would.
static void miss_series(const struct ga_model *model, enum ga_series series, bool is_numbered, char *text)
{
    char range[2 * GA_OUTPUT_NAME + 4];
    const bool of_encoder = series == GA_OF_SRC_ATTENTION && model->encoder;
    const size_t layers = (of_encoder ? model->encoder : model->stack)->n_layers;
    if (ga_series_refused(model, series)) {
        snprintf(text, GA_OUTPUT_MISSING, "%s", ga_series_refused(model, series));
    } else if (ga_series_count(model, series) == 0) {
        snprintf(text, GA_OUTPUT_MISSING,
                 "this model was generated without it; its spec would say outputs = { \"%s\" }",
                 ga_series_field(series));
    } else {
        print_range(model, series, range, sizeof range);
        snprintf(text, GA_OUTPUT_MISSING,
                 is_numbered ? "this model%s has %zu layer%s, so %s"
                             : "this model%s has %zu layer%s, and gives it of each: %s",
                 of_encoder ? "'s encoder" : "", layers, layers == 1 ? "" : "s", range);
    }
}

const char *ga_output_missing(const struct ga_model *model, enum ga_output output, char text[GA_OUTPUT_MISSING])
{
    char name[GA_OUTPUT_NAME];
    const enum ga_series series = output == GA_ATTENTION ? GA_OF_ATTENTION : ga_series_of(output);
    const bool of_stack = output >= GA_HIDDEN || (output < GA_OUTPUT_MORE && outputs[output].of_stack);
    const char *field = output < GA_OUTPUT_MORE ? outputs[output].field : NULL;
    if (of_stack && !model->stack) {
        snprintf(text, GA_OUTPUT_MISSING, "this model is one attention layer; only a stack of layers gives it");
    } else if (model->stack && series < GA_SERIES) {
        miss_series(model, series, output != GA_ATTENTION, text);
    } else if (field) {
        snprintf(text, GA_OUTPUT_MISSING, "this model was generated without it; its spec would say %s", field);
    } else if (model->stack) {
        snprintf(text, GA_OUTPUT_MISSING, "this model is a stack of layers, which keeps what happens within one");
    } else {
        snprintf(text, GA_OUTPUT_MISSING,
                 "this model was generated without it; its spec would say outputs = { \"%s\" }",
                 ga_output_name(output, name));
    }
    return text;
}

const char *ga_output_list(const struct ga_model *model, char text[GA_OUTPUT_LIST])
{
    char name[GA_OUTPUT_NAME];
    size_t used = 0;
    for (size_t i = 0; i < GA_HIDDEN; i++) {
        if (ga_has_output(model, (enum ga_output)i)) {
            used += (size_t)snprintf(text + used, GA_OUTPUT_LIST - used, "%s%s", used ? ", " : "",
                                     ga_output_name((enum ga_output)i, name));
        }
    }
    for (size_t i = 0; i < GA_SERIES; i++) {
        if (ga_series_count(model, (enum ga_series)i) > 0) {
            used += (size_t)snprintf(text + used, GA_OUTPUT_LIST - used, ", ");
            used += (size_t)print_range(model, (enum ga_series)i, text + used, GA_OUTPUT_LIST - used);
        }
    }
    return text;
}

const char *ga_output_hint(const struct ga_model *model, const char *given, char text[GA_PRINTABLE])
{
    char ends[2 * GA_SERIES][GA_OUTPUT_NAME];
    const char *names[GA_HIDDEN + 2 * GA_SERIES];
    size_t count = 0;
    for (size_t i = 0; i < GA_HIDDEN; i++) {
        if (ga_has_output(model, (enum ga_output)i)) {
            names[count++] = ga_output_name((enum ga_output)i, ends[0]); // a literal
        }
    }
    for (size_t i = 0; i < GA_SERIES; i++) {
        const size_t members = ga_series_count(model, (enum ga_series)i);
        for (size_t end = 0; end < 2 && members > 0; end++) {
            const enum ga_output output = ga_series_output((enum ga_series)i, end * (members - 1));
            names[count++] = ga_output_name(output, ends[2 * i + end]);
        }
    }
    return ga_did_you_mean(ga_suggest_name(given, names, count), text);
}

// -- A list of them ----------------------------------------------------------------------------------------------

static enum ga_exit refuse_output(const struct ga_context *context, const char *option, const char *text, size_t length)
{
    char list[GA_OUTPUT_LIST], given[GA_PRINTABLE], hint[GA_PRINTABLE];
    snprintf(given, sizeof given, "%.*s", (int)length, text);
    return ga_misused(context, "--%s: \"%s\" is not an output%s (%s)", option, given,
                      ga_output_hint(context->model, given, hint), ga_output_list(context->model, list));
}

// Reads one word of a list: an output's name, or hidden_all and its like.
static enum ga_exit read_output(const struct ga_context *context, const char *option, const char *text, size_t length,
                                bool wanted[GA_OUTPUTS])
{
    const enum ga_series series = ga_series_called(text, length);
    const bool is_all = series < GA_SERIES;
    const enum ga_output output = is_all ? ga_series_output(series, 0) : ga_output_called(text, length);
    char why[GA_OUTPUT_MISSING];
    if (output == GA_OUTPUTS) {
        return refuse_output(context, option, text, length);
    }
    if (!ga_has_output(context->model, output)) {
        return ga_misused(context, "--%s %.*s: %s", option, (int)length, text,
                          ga_output_missing(context->model, output, why));
    }
    const size_t count = is_all ? ga_series_count(context->model, series) : 1;
    for (size_t i = 0; i < count; i++) {
        wanted[output + i] = true;
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_read_outputs(const struct ga_context *context, const char *option, const char *text,
                             bool wanted_out[GA_OUTPUTS])
{
    enum ga_exit code = GA_EXIT_OK;
    memset(wanted_out, 0, GA_OUTPUTS * sizeof *wanted_out);
    while (text && code == GA_EXIT_OK) {
        const size_t length = strcspn(text, ",");
        code = read_output(context, option, text, length, wanted_out);
        text = text[length] ? text + length + 1 : NULL;
    }
    return code;
}
