// draw.c: the command `draw`: the attention of one sequence as a picture. Computes it as `run` does and has it drawn by
// drawing.h; writes no tensors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "drawing.h"
#include "weights_options.h"

enum {
    INPUT = GA_OPTIONS_LOADING,
    OUTPUT,
    TOKENS,
    KEY_TOKENS,
    LAYER,
    HEAD,
    BATCH,
    ISA,
    THREADS,
};

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file of the inputs, as for run"},
    [OUTPUT] = {"output", "FILE", NULL, true, "picture to write: NAME.svg or NAME.html"},
    [TOKENS] = {"tokens", "FILE", "places, from 0", false, "labels of the sequence, one a line"},
    [KEY_TOKENS] = {"key-tokens", "FILE", "places, from 0", false, "labels of the keys, where they are others"},
    [LAYER] = {"layer", "N", "the last", false, "of a whole model, the layer to draw, from 0"},
    [HEAD] = {"head", "N", "all", false, "the head to draw, from 0"},
    [BATCH] = {"batch", "N", "0", false, "the sequence to draw, from 0"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Draws how much each query attends to each key, a panel for each head, under one scale of colours.",
    "It needs a model with the output attention: ./configure --outputs attention. Of a whole model it",
    "draws one layer, counted from 0 as attention_N of run is: the rows' attention to each other.",
    "  hatched     what causal, a window or a mask excludes; padding after a sequence's length is",
    "              not drawn, unless a mask_fill gives it weight",
    "  large maps  are drawn with several queries and keys to a cell; the picture says how many",
    "  .svg        one file; small maps tell each value on hovering",
    "  .html       a page of one file that tells values under the pointer, also of large maps",
    "  tokens      UTF-8, one label for each real place; where key is no tensor of IN they label",
    "              queries and keys, else --key-tokens labels the keys",
    NULL,
};

static const char *const examples[] = {
    "draw --weights w.safetensors --input in.safetensors --output map.svg --tokens words.txt",
    "draw --weights w.safetensors --input in.safetensors --output map.html --batch 2 --head 0",
    "draw --weights w.safetensors --input in.safetensors --output map.svg --layer 3   (of a whole model)",
    NULL,
};

// -- What is asked for ----------------------------------------------------------------------------------------------

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static enum ga_exit read_form(const struct ga_context *context, const char *output, enum ga_heatmap_form *form_out)
{
    *form_out = ends_in(output, ".html") ? GA_HEATMAP_HTML : GA_HEATMAP_SVG;
    return *form_out == GA_HEATMAP_HTML || ends_in(output, ".svg")
               ? GA_EXIT_OK
               : ga_misused(context, "--output %s: expected a name that ends in .svg or .html", output);
}

static enum ga_exit check_model(const struct ga_context *context)
{
    const struct ga_model *model = context->model;
    if (model->stack && model->stack->without_attention) {
        return ga_failed(context, "there is no attention to draw: the layers of %s do not attend", model->name);
    }
    return ga_has_output(model, model->stack ? GA_LAYER_ATTENTION : GA_ATTENTION)
               ? GA_EXIT_OK
               : ga_failed(context,
                           "there is no attention to draw: %s was generated without that output; "
                           "./configure --outputs attention adds it (in a spec: outputs = { \"attention\" })",
                           model->name);
}

// Reads --layer; without it the last of a whole model is drawn. The model has attention to draw.
static enum ga_exit read_layer(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    const struct ga_stack *stack = context->model->stack;
    enum ga_exit code = GA_EXIT_OK;
    drawing->output = GA_ATTENTION;
    if (!stack) {
        return text ? ga_misused(context, "--layer %s: this model is one attention layer", text) : GA_EXIT_OK;
    }
    drawing->layer = stack->n_layers - 1;
    if (text) {
        code = ga_read_size(context, "layer", text, (struct ga_range){0, stack->n_layers - 1}, &drawing->layer);
    }
    drawing->output = ga_series_output(GA_OF_ATTENTION, drawing->layer);
    return code;
}

// Reads --head; without it all heads are drawn.
static enum ga_exit read_heads(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    drawing->heads = context->model->n_heads;
    if (!text) {
        return GA_EXIT_OK;
    }
    struct ga_range range = {0, drawing->heads - 1};
    drawing->heads = 1;
    return ga_read_size(context, "head", text, range, &drawing->first_head);
}

// Finds whose queries and keys are drawn: of a whole model its rows attend to each other, whatever else they attend to.
static void find_seen(const struct ga_context *context, struct ga_drawing *drawing)
{
    drawing->seen = drawing->request;
    if (context->model->stack) {
        drawing->own = *drawing->request;
        drawing->own.io.key = NULL;
        drawing->own.io.kv_lengths = NULL;
        drawing->own.kv_len = drawing->own.io.q_len;
        drawing->seen = &drawing->own;
    }
}

// Reads --batch and finds the sequence's real sizes.
static enum ga_exit read_batch(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    const struct ga_request *request = drawing->seen;
    enum ga_exit code = GA_EXIT_OK;
    if (text) {
        code = ga_read_size(context, "batch", text, (struct ga_range){0, SIZE_MAX}, &drawing->batch);
    }
    if (code == GA_EXIT_OK && drawing->batch >= request->io.batch) {
        return ga_misused(context, "--batch %zu: %s holds %zu sequence%s, from 0", drawing->batch, request->path,
                          request->io.batch, request->io.batch == 1 ? "" : "s");
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    drawing->rows = ga_query_rows(request, drawing->batch);
    drawing->keys = ga_key_rows(request, drawing->batch);
    return drawing->rows && drawing->keys
               ? GA_EXIT_OK
               : ga_failed(context, "%s: sequence %zu has %zu queries and %zu keys by its lengths: nothing to draw",
                           request->path, drawing->batch, drawing->rows, drawing->keys);
}

// In self-attention one file names both; where lengths cut queries and keys apart it has to name the more of them.
static enum ga_exit read_labels(const struct ga_context *context, const char *const *values, struct ga_drawing *drawing)
{
    bool self = drawing->seen->io.key == NULL;
    size_t count = self && drawing->keys > drawing->rows ? drawing->keys : drawing->rows;
    enum ga_exit code = GA_EXIT_OK;
    if (values[KEY_TOKENS] && self) {
        return ga_misused(context, "--key-tokens: the keys of %s are the query's own sequence, which --tokens labels",
                          drawing->seen->path);
    }
    if (values[TOKENS]) {
        code = ga_labels_read(context, values[TOKENS], drawing->batch, count, &drawing->row_labels);
    }
    if (code == GA_EXIT_OK && values[KEY_TOKENS]) {
        code = ga_labels_read(context, values[KEY_TOKENS], drawing->batch, drawing->keys, &drawing->key_labels);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

// Everything that reads of the command line alone, before any file is opened.
static enum ga_exit read_arguments(const struct ga_context *context, const char *const *values,
                                   struct ga_drawing *drawing, enum ga_heatmap_form *form_out, size_t *threads_out)
{
    enum ga_exit code = read_form(context, values[OUTPUT], form_out);
    if (code == GA_EXIT_OK) {
        code = ga_read_threads(context, values[THREADS], threads_out);
    }
    if (code == GA_EXIT_OK) {
        code = check_model(context);
    }
    if (code == GA_EXIT_OK) {
        code = read_layer(context, values[LAYER], drawing);
    }
    return code == GA_EXIT_OK ? read_heads(context, values[HEAD], drawing) : code;
}

// The request's input read, what is to be drawn of it found, and the model run on it.
static enum ga_exit compute(const struct ga_context *context, const char *const *values,
                            const struct ga_prepared *prepared, struct ga_request *request, struct ga_drawing *drawing)
{
    bool wanted[GA_OUTPUTS] = {false};
    enum ga_exit code = ga_request_open(context, values[INPUT], request);
    wanted[drawing->output] = true;
    find_seen(context, drawing);
    if (code == GA_EXIT_OK) {
        code = read_batch(context, values[BATCH], drawing);
    }
    if (code == GA_EXIT_OK) {
        code = read_labels(context, values, drawing);
    }
    return code == GA_EXIT_OK ? ga_request_run(context, prepared, wanted, 0, request) : code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_prepared prepared = {0};
    struct ga_request request = {0};
    struct ga_drawing drawing = {.request = &request};
    enum ga_heatmap_form form;
    enum ga_exit code = read_arguments(context, values, &drawing, &form, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = ga_prepare(context, &choice, &prepared);
    }
    if (code == GA_EXIT_OK) {
        code = compute(context, values, &prepared, &request, &drawing);
    }
    if (code == GA_EXIT_OK) {
        code = ga_drawing_write(context, &drawing, values[OUTPUT], form);
    }
    ga_drawing_free(&drawing);
    ga_request_close(&request);
    ga_prepared_free(&prepared);
    return code;
}

const struct ga_command ga_command_draw = {
    .name = "draw",
    .summary = "draw what each head attends to as an SVG picture or an HTML page",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
