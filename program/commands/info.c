// info.c: the command `info`: what this model is, which kernels it got and why, what a call costs.
// Runs no kernel; what it says of speed is arithmetic, not measurement.
#include "info.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "cost.h"
#include "cpu.h"
#include "isas.h"
#include "model_call.h"
#include "pooling.h"
#include "tensor.h"
#include "token_vectors.h"

enum { JSON, ISA, TIMELINE, RANKS };

static const struct ga_option options[] = {
    [JSON] = {"json", NULL, NULL, false, "print JSON"},
    [ISA] = {"isa", "NAME", "the best this CPU runs", false,
             "instruction set whose kernels to show; this CPU need not run it"},
    [TIMELINE] = {"timeline", "FILE.svg", NULL, false, "draw the lifetimes of a whole model's buffers"},
    [RANKS] = {"ranks", "N", "one for each socket", false, "show which CPUs and memory N processes of mpirun have"},
    {NULL, NULL, NULL, false, NULL},
};

static const char *const notes[] = {NULL};

static const char *const examples[] = {
    "info", "info --isa scalar", "info --json", "info --timeline buffers.svg    (of a stack of layers)", NULL,
};

// -- Properties -----------------------------------------------------------------------------------------------------

static size_t clamp(size_t value, struct ga_range range)
{
    return value < range.min ? range.min : value > range.max ? range.max : value;
}

// Of batches of GA_BATCH_ROWS rows the longest sequences and shorter ones, each half as long as the last.
static size_t batch_scratch(const struct ga_model *model, const struct ga_variant *shown)
{
    size_t most = 0;
    for (size_t q_len = model->q_len.max; q_len > 0 && q_len >= model->q_len.min; q_len /= 2) {
        const size_t fit = q_len < GA_BATCH_ROWS ? GA_BATCH_ROWS / q_len : 1;
        const size_t size = ga_model_scratch_size(model, shown, model->batch ? model->batch : fit, q_len, 0, 1);
        most = size > most ? size : most;
    }
    return most;
}

static bool runs_batches(const struct ga_model *model)
{
    return model->stack && model->kind == GA_ENCODER && model->vocab_size > 0 && !model->cache &&
           (model->stack->pool != GA_POOL_NONE || model->stack->n_labels > 0 || ga_compares_tokens(model));
}

static struct ga_info gather(const struct ga_model *model, const struct ga_variant *shown)
{
    struct ga_info info = {.shown = shown, .runs = ga_runs_here(shown), .scratch = SIZE_MAX};
    info.batch = model->batch ? model->batch : 1;
    info.q_len = clamp(128, model->q_len);
    info.kv_len = clamp(info.q_len, model->kv_len);
    const struct ga_call_size size = {.batch = info.batch, .q_len = info.q_len, .kv_len = info.kv_len};
    info.flops = ga_cost_flops(model, &size);
    const struct ga_call_size least = {.batch = 1, .q_len = 1, .kv_len = 1};
    struct ga_call_size logits = least, classes = least;
    logits.logit_rows = 1;
    classes.class_logits = true;
    info.logits_flops = ga_cost_flops(model, &logits) - ga_cost_flops(model, &least);
    info.class_flops = ga_cost_flops(model, &classes) - ga_cost_flops(model, &least);
    info.bytes = ga_cost_bytes(model, &size) + ga_cost_weight_bytes(model, shown, &size);
    if (info.runs) { // its code may use instructions this CPU lacks even to add sizes up
        info.scratch = ga_model_scratch_size(model, shown, info.batch, info.q_len, info.kv_len, 1);
    }
    if (runs_batches(model)) {
        info.batch_scratch = info.runs ? batch_scratch(model, shown) : SIZE_MAX;
    }
    return info;
}

// -- Text -----------------------------------------------------------------------------------------------------------

static void print_indented(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_range(const char *name, struct ga_range range)
{
    if (range.min == range.max) {
        printf(", %s %zu", name, range.min);
    } else {
        printf(", %s %zu..%zu", name, range.min, range.max);
    }
}

static void print_tensors(const struct ga_model *model)
{
    const char *names[GA_INPUTS];
    char outputs[GA_OUTPUT_LIST];
    size_t count = ga_input_names(model, names);
    printf("\n  takes ");
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i ? ", " : "", names[i]);
    }
    printf("\n  gives %s\n", ga_output_list(model, outputs));
}

// The formats of rows that are kept.
static void print_kept(const struct ga_model *model)
{
    if (model->cache) {
        printf("  a cache keeps %s, %zu bytes for each row of a sequence\n", ga_dtype_name(model->cache_dtype),
               ga_cost_cache_row_bytes(model));
    }
    if (ga_cost_has_token_table(model)) {
        printf("  token rows are kept as %s, %zu bytes each\n", ga_dtype_name(model->embedding_dtype),
               ga_cost_token_row_bytes(model));
    }
}

static void print_shape(const struct ga_model *model)
{
    printf("%s\n\nshape\n  d_model %zu", model->name, model->d_model);
    if (model->n_heads) {
        printf(", n_heads %zu, n_kv_heads %zu, d_head %zu", model->n_heads, model->n_kv_heads, model->d_head);
    }
    printf("\n");
    if (model->kind == GA_SDPA) {
        printf("  attention alone, heads of value of %zu\n", model->d_v);
    } else if (model->k_dim != model->d_model || model->v_dim != model->d_model || model->d_out != model->d_model) {
        printf("  rows of key %zu, of value %zu, of the output %zu\n", model->k_dim, model->v_dim, model->d_out);
    }
    if (model->batch) {
        printf("  batch %zu", model->batch);
    } else {
        printf("  batch any");
    }
    print_range("seq_len", model->q_len);
    print_range("kv_seq_len", model->kv_len);
    if (model->vocab_size) {
        printf(", vocab_size %zu", model->vocab_size);
    }
    print_tensors(model);
    print_kept(model);
    printf("  bits revision %u: builds of one revision give the same bits\n", (unsigned)model->bits_revision);
    printf("\nspec\n");
    print_indented(model->spec);
    printf("\nfeatures\n");
    for (size_t i = 0; i < model->n_sentences; i++) {
        printf("  %s\n", model->sentences[i]);
    }
    if (model->stack) {
        ga_info_stack_print(model);
        ga_buffer_lifetimes_print(model->stack);
    }
}

// How a variant computes multiply-adds that are rounded once, where that costs time: portable code, where the compiler
// has no instruction for them.
static const char *multiply_adds(const struct ga_variant *variant)
{
#ifndef __FP_FAST_FMAF
    if (strcmp(variant->isa, "scalar") == 0) {
        return "; multiply-adds by way of double";
    }
#endif
    (void)variant;
    return "";
}

static void print_variants(const struct ga_model *model)
{
    const int width = ga_isa_width(model);
    const struct ga_variant *picked = NULL;
    if (ga_model_variant(model, NULL, &picked, NULL) != GA_OK) {
        picked = NULL;
    }
    printf("\ninstruction sets, best first\n");
    for (size_t i = 0; i < model->n_variants; i++) {
        const struct ga_variant *variant = &model->variants[i];
        char needed[GA_PRINTABLE];
        printf("  %-*s packed weights %zu bytes; needs %s; %s%s%s\n", width, variant->isa, variant->packed_bytes,
               variant->cpu ? ga_cpu_text(variant->cpu, needed) : "nothing special",
               variant == picked               ? "picked on this CPU"
               : !ga_runs_here(variant)        ? "cannot run here"
               : !ga_cpu_has(variant->prefers) ? "runs here, but another is faster on this CPU"
                                               : "runs here",
               variant->emulates ? "; emulates the spec's dtype by multiply-adds of f32" : "", multiply_adds(variant));
    }
    struct ga_unused unused[GA_MAX_ISAS];
    const size_t count = ga_isas_unused_here(model, unused);
    for (size_t i = 0; i < count; i++) {
        printf("  %-*s not taken, though this CPU has it: %s\n", width, unused[i].isa, unused[i].why);
    }
}

static void print_kernels(const struct ga_variant *variant)
{
    printf("\nkernels of %s\n", variant->isa);
    for (size_t i = 0; i < variant->n_kernels; i++) {
        const struct ga_kernel_info *kernel = &variant->kernels[i];
        printf("  %s, tile %s\n    %s\n    %s\n", kernel->name, kernel->tile, kernel->what, kernel->why);
    }
}

static void print_cost(const struct ga_info *info)
{
    printf("\na call of batch %zu, seq_len %zu, kv_seq_len %zu\n", info->batch, info->q_len, info->kv_len);
    printf("  %.6g MFLOP, at least %.6g MB moved (weights, inputs, output once)\n", info->flops / 1e6,
           info->bytes / 1e6);
    if (info->logits_flops > 0.0) {
        printf("  logits of a row, where asked for: %.6g MFLOP more\n", info->logits_flops / 1e6);
    }
    if (info->class_flops > 0.0) {
        printf("  class_logits of a sequence, where asked for: %.6g MFLOP more\n", info->class_flops / 1e6);
    }
    if (info->scratch == SIZE_MAX) {
        printf("  scratch: not known here, as this CPU cannot run %s\n", info->shown->isa);
    } else {
        printf("  scratch %zu bytes\n", info->scratch);
    }
    if (info->batch_scratch > 0 && info->batch_scratch < SIZE_MAX) {
        printf("  of many texts each thread runs batches of %d rows in scratch of its own, at most %zu bytes\n",
               GA_BATCH_ROWS, info->batch_scratch);
    }
}

static void print_source(const struct ga_model *model, const struct ga_weight_source *source)
{
    const struct ga_weight_role *role = &model->roles[source->role];
    char shape[GA_PRINTABLE];
    printf("    %-10s %s %s", role->name, source->tensor,
           ga_shape_text(source->rank, source->shape, shape, sizeof shape));
    if (source->first) {
        printf(" from element %zu", source->first);
    }
    printf("%s%s\n", source->transposed ? " as [in, out]" : "", source->by_head > 0 ? ", head by head" : "");
}

static void print_weights(const struct ga_model *model)
{
    printf("\nweights\n");
    for (size_t i = 0; i < model->n_roles; i++) {
        char shape[GA_PRINTABLE];
        const struct ga_weight_role *role = &model->roles[i];
        printf("  %-10s %s\n", role->name, ga_shape_text(role->rank, role->shape, shape, sizeof shape));
    }
    printf("\nlayouts of a weights file (%s%s)\n",
           model->default_map ? "unless told: " : "unless told, the one that fits",
           model->default_map ? model->default_map : "");
    for (size_t i = 0; i < model->n_maps; i++) {
        printf("  %s\n", model->maps[i].name);
        for (size_t r = 0; r < model->n_roles; r++) {
            print_source(model, &model->maps[i].sources[r]);
        }
    }
}

static enum ga_exit print_text(const struct ga_model *model, const struct ga_info *info)
{
    print_shape(model);
    print_variants(model);
    print_kernels(info->shown);
    print_cost(info);
    ga_info_machine_print(info->ranks);
    print_weights(model);
    return GA_EXIT_OK;
}

// -- The command ----------------------------------------------------------------------------------------------------

// The variant to show: any in the build, also where this CPU cannot run it.
static enum ga_exit choose_shown(const struct ga_context *context, const char *isa, const struct ga_variant **shown_out)
{
    const struct ga_model *model = context->model;
    for (size_t i = 0; isa && i < model->n_variants; i++) {
        if (strcmp(model->variants[i].isa, isa) == 0) {
            *shown_out = &model->variants[i];
            return GA_EXIT_OK;
        }
    }
    if (!isa && ga_model_variant(model, NULL, shown_out, NULL) != GA_OK) {
        *shown_out = &model->variants[0];
        return GA_EXIT_OK;
    }
    return isa ? ga_choose_variant(context, isa, shown_out) : GA_EXIT_OK;
}

static enum ga_exit draw_buffer_lifetimes(const struct ga_context *context, const char *path)
{
    if (!context->model->stack) {
        return ga_misused(context, "--timeline: this model is one attention layer, which has no steps to draw");
    }
    return ga_buffer_lifetimes_draw(context, path);
}

static enum ga_exit read_ranks(const struct ga_context *context, const char *given, size_t *ranks_out)
{
    const struct ga_range some = {1, 4096};
    return given && !ga_placement_library.plan
               ? ga_misused(context, "--ranks needs hwloc: ./configure --with-hwloc links it")
               : ga_read_size(context, "ranks", given, some, ranks_out);
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const struct ga_variant *shown;
    enum ga_exit code = choose_shown(context, arguments->values[ISA], &shown);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if (arguments->values[TIMELINE]) {
        return draw_buffer_lifetimes(context, arguments->values[TIMELINE]);
    }
    struct ga_info info = gather(context->model, shown);
    code = read_ranks(context, arguments->values[RANKS], &info.ranks);
    if (code != GA_EXIT_OK) {
        return code;
    }
    return arguments->values[JSON] ? ga_info_json(context, &info) : print_text(context->model, &info);
}

const struct ga_command ga_command_info = {
    .name = "info",
    .summary = "print the model's shape, kernels, costs and weight layouts",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
