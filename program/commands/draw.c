// draw.c: the command `draw`: the attention of one sequence as a picture. Computes it as `run` does and has it drawn by
// drawing.h; writes no tensors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "drawing.h"
#include "output_name.h"
#include "weights_options.h"

enum {
    INPUT = GA_OPTIONS_LOADING,
    OUTPUT,
    TOKENS,
    KEY_TOKENS,
    LAYER,
    CROSS,
    SOURCE,
    HEAD,
    BATCH,
    ISA,
    THREADS,
};

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file of the inputs, as for run"},
    [OUTPUT] = {"output", "FILE", NULL, true, "picture to write: NAME.svg or NAME.html"},
    [TOKENS] = {"tokens", "FILE", "positions, from 0", false, "labels of the sequence, one a line"},
    [KEY_TOKENS] = {"key-tokens", "FILE", "positions, from 0", false, "labels of the keys, if they differ"},
    [LAYER] = {"layer", "N", "the last", false, "layer of a whole model to draw, from 0"},
    [CROSS] = {"cross", NULL, NULL, false, "draw that layer's attention to the memory or the source"},
    [SOURCE] = {"source", NULL, NULL, false, "draw a layer of a transformer's encoder, over the source"},
    [HEAD] = {"head", "N", "all", false, "the head to draw, from 0"},
    [BATCH] = {"batch", "N", "0", false, "the sequence to draw, from 0"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Draws how much each query attends to each key, in a panel for each head, with one scale of colours.",
    "It needs a model with the output attention: ./configure --outputs attention. For a whole model it",
    "draws one layer, counted from 0 as in attention_N of run: the rows' attention to each other, or with",
    "--cross a decoder's attention to its memory, which needs the output cross_attention.",
    "  hatched     excluded by causal, a window or a mask; padding after a sequence's length is",
    "              not drawn, unless a mask_fill gives it weight",
    "  large maps  have several queries and keys in each cell; the picture says how many",
    "  .svg        one file; small maps show the value under the pointer",
    "  .html       a page in one file; all maps show the value under the pointer",
    "  tokens      UTF-8, one label for each real row; if the input has no tensor key, they label",
    "              queries and keys; otherwise --key-tokens labels the keys",
    NULL,
};

static const char *const examples[] = {
    "draw --weights w.safetensors --input in.safetensors --output map.svg --tokens words.txt",
    "draw --weights w.safetensors --input in.safetensors --output map.html --batch 2 --head 0",
    "draw --weights w.safetensors --input in.safetensors --output map.svg --layer 3   (of a whole model)",
    "draw --weights w.safetensors --input in.safetensors --output map.svg --layer 3 --cross \\\n"
    "      --tokens target.txt --key-tokens source.txt   (of a transformer)",
    NULL,
};

// -- What is asked for ----------------------------------------------------------------------------------------------

static enum ga_exit read_form(const struct ga_context *context, const char *output, enum ga_heatmap_form *form_out)
{
    *form_out = ga_name_ends_in(output, ".html") ? GA_HEATMAP_HTML : GA_HEATMAP_SVG;
    return *form_out == GA_HEATMAP_HTML || ga_name_ends_in(output, ".svg")
               ? GA_EXIT_OK
               : ga_misused(context, "--output %s: expected a name that ends in .svg or .html", output);
}

// Reads --cross and --source: which of a layer's attentions is drawn.
static enum ga_exit read_series(const struct ga_context *context, const char *const *values, struct ga_drawing *drawing)
{
    const struct ga_model *model = context->model;
    const char *option = values[CROSS] ? "cross" : "source";
    drawing->series = values[CROSS] ? GA_OF_CROSS_ATTENTION : values[SOURCE] ? GA_OF_SRC_ATTENTION : GA_OF_ATTENTION;
    if (values[CROSS] && values[SOURCE]) {
        return ga_misused(context, "--cross and --source are two pictures; give one of them");
    }
    if (drawing->series == GA_OF_ATTENTION) {
        drawing->series = model->stack ? GA_OF_ATTENTION : GA_SERIES;
        return GA_EXIT_OK;
    }
    if (!model->stack) {
        return ga_misused(context, "--%s: this model is one attention layer", option);
    }
    const char *why = ga_series_refused(model, drawing->series);
    return why ? ga_misused(context, "--%s: %s", option, why) : GA_EXIT_OK;
}

static enum ga_exit check_model(const struct ga_context *context, const struct ga_drawing *drawing)
{
    const struct ga_model *model = context->model;
    const bool of_stack = drawing->series < GA_SERIES;
    const char *field = of_stack ? ga_series_field(drawing->series) : "attention";
    return ga_has_output(model, of_stack ? ga_series_output(drawing->series, 0) : GA_ATTENTION)
               ? GA_EXIT_OK
               : ga_failed(context,
                           "%s has no attention to draw: it was generated without that output; "
                           "./configure --outputs %s adds it (in a spec: outputs = { \"%s\" })",
                           model->name, field, field);
}

// Reads --layer; without it the last of a whole model is drawn. The model has attention to draw.
static enum ga_exit read_layer(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    drawing->output = GA_ATTENTION;
    if (drawing->series == GA_SERIES) {
        return text ? ga_misused(context, "--layer %s: this model is one attention layer", text) : GA_EXIT_OK;
    }
    const struct ga_range range = {0, ga_series_count(context->model, drawing->series) - 1};
    drawing->layer = range.max;
    const enum ga_exit code = ga_read_size(context, "layer", text, range, &drawing->layer);
    drawing->output = ga_series_output(drawing->series, drawing->layer);
    return code;
}

// Reads --head; without it all heads are drawn.
static enum ga_exit read_heads(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    const struct ga_range range = {0, context->model->n_heads - 1};
    drawing->heads = text ? 1 : context->model->n_heads;
    return ga_read_size(context, "head", text, range, &drawing->first_head);
}

// A request whose keys are its query's own rows.
static void make_self(struct ga_model_call *call)
{
    call->io.key = NULL;
    call->io.key_tokens = NULL;
    call->io.memory = NULL;
    call->io.kv_lengths = NULL;
    call->kv_len = call->io.kv_len = call->io.q_len;
}

// A transformer's request as one of its encoder, which nothing keeps from later rows.
static void make_source(struct ga_model_call *call, struct ga_model *as_model)
{
    struct ga_io *io = &call->io;
    io->q_len = io->kv_len;
    io->q_lengths = io->kv_lengths;
    io->mask = io->src_mask;
    io->additive_mask = io->src_additive_mask;
    memcpy(io->mask_strides, io->src_mask_strides, sizeof io->mask_strides);
    as_model->causal = GA_CAUSAL_NONE;
    make_self(call);
}

// A decoder's request as one of its attention to the memory, which has no order and a mask of its own.
static void make_cross(struct ga_model_call *call, struct ga_model *as_model)
{
    struct ga_io *io = &call->io;
    call->kv_len = io->kv_len;
    io->mask = io->memory_mask;
    io->additive_mask = io->memory_additive_mask;
    memcpy(io->mask_strides, io->memory_mask_strides, sizeof io->mask_strides);
    as_model->causal = GA_CAUSAL_NONE;
    as_model->window = 0;
}

// Finds whose queries and keys are drawn: of a whole model those of one attention, whatever else there is.
static void find_seen(const struct ga_context *context, struct ga_drawing *drawing)
{
    drawing->as_model = *context->model;
    drawing->as_layer = *drawing->call;
    drawing->seen = drawing->series == GA_SERIES ? drawing->call : &drawing->as_layer;
    if (drawing->series == GA_OF_ATTENTION) {
        make_self(&drawing->as_layer);
    } else if (drawing->series == GA_OF_SRC_ATTENTION) {
        make_source(&drawing->as_layer, &drawing->as_model);
    } else if (drawing->series == GA_OF_CROSS_ATTENTION) {
        make_cross(&drawing->as_layer, &drawing->as_model);
    }
}

// Reads --batch and finds the sequence's real sizes.
static enum ga_exit read_batch(const struct ga_context *context, const char *text, struct ga_drawing *drawing)
{
    const struct ga_model_call *call = drawing->seen;
    const enum ga_exit code = ga_read_size(context, "batch", text, (struct ga_range){0, SIZE_MAX}, &drawing->batch);
    if (code == GA_EXIT_OK && drawing->batch >= call->io.batch) {
        return ga_misused(context, "--batch %zu: %s holds %zu sequence%s, from 0", drawing->batch, call->path,
                          call->io.batch, call->io.batch == 1 ? "" : "s");
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    drawing->rows = ga_query_rows(call, drawing->batch);
    drawing->keys = ga_key_rows(call, drawing->batch);
    return drawing->rows && drawing->keys
               ? GA_EXIT_OK
               : ga_failed(context, "%s: sequence %zu has %zu queries and %zu keys by its lengths: nothing to draw",
                           call->path, drawing->batch, drawing->rows, drawing->keys);
}

// In self-attention one file names both; where lengths cut queries and keys apart it has to name the more of them.
static enum ga_exit read_labels(const struct ga_context *context, const char *const *values, struct ga_drawing *drawing)
{
    bool self = ga_is_self(drawing->seen);
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

// Of a model that gives attention of no kind.
static const char *refusal(const struct ga_model *model)
{
    bool gives = !model->stack && ga_has_output(model, GA_ATTENTION);
    for (enum ga_series which = GA_OF_ATTENTION; model->stack && which < GA_SERIES; which++) {
        gives = gives || ga_has_output(model, ga_series_output(which, 0));
    }
    return gives                                             ? NULL
           : model->stack && model->stack->without_attention ? "has no attention to draw: its layers do not attend"
                                                             : "has no attention to draw: it was generated without "
                                                               "that output; ./configure --outputs attention adds "
                                                               "it (in a spec: outputs = { \"attention\" })";
}

// Everything that reads of the command line alone, before any file is opened.
static enum ga_exit read_arguments(const struct ga_context *context, const char *const *values,
                                   struct ga_drawing *drawing, enum ga_heatmap_form *form_out, size_t *threads_out)
{
    enum ga_exit code = read_form(context, values[OUTPUT], form_out);
    if (code == GA_EXIT_OK) {
        code = ga_read_threads(context, values[THREADS], threads_out);
    }
    if (code == GA_EXIT_OK) {
        code = read_series(context, values, drawing);
    }
    if (code == GA_EXIT_OK) {
        code = check_model(context, drawing);
    }
    if (code == GA_EXIT_OK) {
        code = read_layer(context, values[LAYER], drawing);
    }
    return code == GA_EXIT_OK ? read_heads(context, values[HEAD], drawing) : code;
}

// The call's input read, what is to be drawn of it found, and the model run on it.
static enum ga_exit compute(const struct ga_context *context, const char *const *values,
                            const struct ga_model_instance *instance, struct ga_model_call *call,
                            struct ga_drawing *drawing)
{
    bool wanted[GA_OUTPUTS] = {false};
    enum ga_exit code = ga_model_call_open(context, values[INPUT], call);
    wanted[drawing->output] = true;
    find_seen(context, drawing);
    if (code == GA_EXIT_OK) {
        code = read_batch(context, values[BATCH], drawing);
    }
    if (code == GA_EXIT_OK) {
        code = read_labels(context, values, drawing);
    }
    return code == GA_EXIT_OK ? ga_model_call_run(context, instance, wanted, 0, call) : code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct ga_model_call call = {0};
    struct ga_drawing drawing = {.call = &call};
    enum ga_heatmap_form form;
    enum ga_exit code = read_arguments(context, values, &drawing, &form, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    if (code == GA_EXIT_OK) {
        code = compute(context, values, &instance, &call, &drawing);
    }
    if (code == GA_EXIT_OK) {
        code = ga_drawing_write(context, &drawing, values[OUTPUT], form);
    }
    ga_drawing_free(&drawing);
    ga_model_call_close(&call);
    ga_model_instance_free(&instance);
    return code;
}

const struct ga_command ga_command_draw = {
    .name = "draw",
    .summary = "draw what each head attends to as an SVG picture or an HTML page",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = refusal,
    .run = run,
};
