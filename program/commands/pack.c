// pack.c: the command `pack`: weights as the kernels read them, in a file that loads without packing, and the tokenizer
// with them. Runs nothing.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chat_template.h"
#include "command.h"
#include "cpu.h"
#include "load_model.h"
#include "row_sums.h"
#include "texts.h"
#include "trial.h"
#include "weights_options.h"

enum { OUTPUT = GA_OPTION_TRUST, ISA, TOKENIZER, NO_TOKENIZER, SAMPLES };

static const struct ga_option options[] = {
    GA_WEIGHTS_OPTIONS,
    [OUTPUT] = {"output", "FILE", NULL, true, "file to write, usually NAME.gap"},
    [ISA] = {"isa", "NAME", "the best this CPU runs", false, "instruction set to pack for; all: each this CPU runs"},
    [TOKENIZER] = {"tokenizer", "FILE", "tokenizer.json in the folder of the weights", false,
                   "tokenizer to store in the file"},
    [NO_TOKENIZER] = {"no-tokenizer", NULL, NULL, false, "store no tokenizer in the file"},
    [SAMPLES] = {"samples", "FILE", NULL, false, "rows or texts, as for precision; weights are rounded for them"},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Pass the file to --weights of other commands, which recognise it by its first bytes. It is only for",
    "this build of the model: a build of another spec, or one that packs differently, refuses it by name.",
    "Each instruction set has its own panels. A file for one set also runs on a CPU with a better one:",
    "the program then uses the set of the file and says so.",
    "Commands that take texts then need no --tokenizer: the file also stores the tokenizer.json in the folder of",
    "the weights.",
    "With --samples, weights in groups (weights_dtype) are rounded so that the outputs of linears for rows like the",
    "samples change least, and not each to its nearest number. This takes some minutes and much memory.",
    NULL,
};

static const char *const examples[] = {
    "pack --weights w.safetensors --output w.gap",
    "pack --weights w.safetensors --output w.gap --isa all",
    "pack --weights model/ --output w.gap --tokenizer tokenizer.json",
    "pack --weights model/ --output w.gap --samples sentences.txt",
    NULL,
};

// The variants to pack for, and what was packed of each; one section is left for the tokenizer.
struct packing {
    size_t count;
    const char *isas[GA_PACK_SECTIONS - 1];
    struct ga_model_instance instance[GA_PACK_SECTIONS - 1];
    struct ga_tokenizer_file tokenizer;
    uint64_t tokenizer_hash;
};

// All that this CPU runs; of the others says that they are left out.
static void list_all(const struct ga_context *context, struct packing *packing)
{
    const struct ga_model *model = context->model;
    for (size_t i = 0; i < model->n_variants && packing->count < GA_PACK_SECTIONS - 1; i++) {
        if (ga_cpu_has(model->variants[i].cpu)) {
            packing->isas[packing->count++] = model->variants[i].isa;
        } else {
            ga_note(context, "%s is left out: it takes a CPU that runs it to pack for it", model->variants[i].isa);
        }
    }
}

static enum ga_exit check_input(const struct ga_context *context, const char *weights)
{
    if (context->model->n_roles == 0) {
        return ga_failed(context, "this model has no weights, so there is nothing to pack");
    }
    return weights && ga_pack_is_file(weights)
               ? ga_failed(context, "%s: is packed already; pack the safetensors file that it was made from", weights)
               : GA_EXIT_OK;
}

// Puts the packed tokenizer in the place of the tokenizer.json, the chat template with it.
static enum ga_exit pack_tokenizer(const struct ga_context *context, const struct ga_chat_template *chat,
                                   struct packing *packing)
{
    struct ga_tokenizer_file *file = &packing->tokenizer;
    struct ga_error error;
    char *packed;
    size_t size;
    if (ga_text_library.tokenizer_pack(file->label, file->bytes, file->size, chat->bytes, chat->length, &packed, &size,
                                       &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    free(file->bytes);
    file->bytes = packed;
    file->size = size;
    return GA_EXIT_OK;
}

// The tokenizer's bytes, packed, once they were found to be a tokenizer of this model.
static enum ga_exit read_tokenizer(const struct ga_context *context, const char *path, const char *weights,
                                   struct packing *packing)
{
    struct ga_text_tokenizer *tokenizer;
    enum ga_exit code = ga_check_text(context);
    code = code == GA_EXIT_OK ? ga_tokenizer_file_read(context, path, weights, &packing->tokenizer) : code;
    code = code == GA_EXIT_OK ? ga_open_tokenizer(context, &packing->tokenizer, &tokenizer) : code;
    if (code == GA_EXIT_OK) {
        struct ga_chat_template chat;
        packing->tokenizer_hash = ga_text_library.tokenizer_hash(tokenizer);
        code = ga_chat_template_find(context, tokenizer, path, weights, &chat);
        ga_text_library.tokenizer_close(tokenizer);
        code = code == GA_EXIT_OK ? pack_tokenizer(context, &chat, packing) : code;
        ga_chat_template_free(&chat);
    } else if (!path) {
        ga_note(context, "--no-tokenizer packs the weights without it");
    }
    return code;
}

// The tokenizer that is to go with the weights, if any.
static enum ga_exit find_tokenizer(const struct ga_context *context, const char *const *values, struct packing *packing)
{
    const char *path = values[TOKENIZER], *weights = values[GA_OPTION_WEIGHTS];
    const bool has_text = context->model->vocab_size > 0 && ga_text_library.tokenizer_open_for;
    if (values[NO_TOKENIZER]) {
        return path ? ga_misused(context, "--tokenizer and --no-tokenizer cannot be given together") : GA_EXIT_OK;
    }
    return path || (has_text && weights && ga_tokenizer_is_beside(weights))
               ? read_tokenizer(context, path, weights, packing)
               : GA_EXIT_OK;
}

static enum ga_exit write_packed(const struct ga_context *context, const struct packing *packing, const char *path)
{
    const struct ga_loaded *loaded[GA_PACK_SECTIONS];
    const struct ga_tokenizer_file *tokenizer = &packing->tokenizer;
    const struct ga_pack_attachment attachment = {.name = GA_TEXT_ATTACHMENT,
                                                  .hash = packing->tokenizer_hash,
                                                  .bytes = tokenizer->bytes,
                                                  .size = tokenizer->size};
    struct ga_error error;
    for (size_t i = 0; i < packing->count; i++) {
        loaded[i] = packing->instance[i].loaded;
    }
    if (ga_pack_write_with(path, loaded, packing->count, packing->instance[0].weights,
                           tokenizer->bytes ? &attachment : NULL, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    for (size_t i = 0; i < packing->count; i++) {
        ga_print_line("%s: %s for %s, %zu bytes", path, context->model->name, loaded[i]->variant->isa,
                      loaded[i]->variant->packed_bytes);
    }
    if (tokenizer->bytes) {
        ga_print_line("%s: tokenizer %016" PRIx64 " of %s, %zu bytes", path, packing->tokenizer_hash, tokenizer->label,
                      tokenizer->size);
    }
    return GA_EXIT_OK;
}

// What goes with samples.
static enum ga_exit check_samples(const struct ga_context *context, const char *const *values)
{
    if (values[GA_OPTION_RANDOM]) {
        return ga_misused(context, "--samples rounds weights of a file; give it with --weights");
    }
    return ga_model_shows(context->model)
               ? GA_EXIT_OK
               : ga_failed(context, "--samples is for models whose weights are in groups; configure this one with "
                                    "--weights-dtype int4 or int8");
}

// The sums of what linears multiply when the model, packed to the nearest numbers, is run over the samples.
static enum ga_exit sum_samples(const struct ga_context *context, const char *const *values, const char *isa,
                                struct ga_row_sums *sums)
{
    const struct ga_weight_choice choice = ga_weights_chosen(values, isa);
    struct ga_trial trial;
    double seconds;
    if (!ga_row_sums_new(context->model, sums)) {
        return ga_failed(context, "no memory for sums of samples");
    }
    enum ga_exit code = ga_trial_open(context, &choice, values[SAMPLES], values[TOKENIZER], false, &trial);
    struct ga_progress progress = ga_progress_begin(context, trial.is_text ? "texts" : "tensors");
    trial.watch = &sums->watch;
    *(trial.is_text ? &trial.progress : &sums->progress) = &progress;
    code = code == GA_EXIT_OK ? ga_trial_run(&trial, NULL, &seconds) : code;
    ga_progress_end(&progress);
    sums->progress = NULL;
    ga_trial_close(&trial);
    return code;
}

// Loads the weights of each variant.
static enum ga_exit pack_all(const struct ga_context *context, const char *const *values, struct packing *packing)
{
    struct ga_row_sums sums = {0};
    enum ga_exit code = values[SAMPLES] ? check_samples(context, values) : GA_EXIT_OK;
    if (code == GA_EXIT_OK && values[SAMPLES]) {
        code = sum_samples(context, values, packing->isas[0], &sums);
    }
    for (size_t i = 0; i < packing->count && code == GA_EXIT_OK; i++) {
        struct ga_weight_choice choice = ga_weights_chosen(values, packing->isas[i]);
        choice.sums = values[SAMPLES] ? &sums : NULL;
        choice.wants_checksum = true;
        code = ga_load_model(context, &choice, &packing->instance[i]);
    }
    ga_row_sums_free(&sums);
    return code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct packing packing = {.count = 0};
    if (values[ISA] && strcmp(values[ISA], "all") == 0) {
        list_all(context, &packing);
    } else {
        packing.isas[packing.count++] = values[ISA];
    }
    enum ga_exit code = check_input(context, values[GA_OPTION_WEIGHTS]);
    code = code == GA_EXIT_OK ? find_tokenizer(context, values, &packing) : code;
    code = code == GA_EXIT_OK ? pack_all(context, values, &packing) : code;
    if (code == GA_EXIT_OK) {
        code = write_packed(context, &packing, values[OUTPUT]);
    }
    for (size_t i = 0; i < packing.count; i++) {
        ga_model_instance_free(&packing.instance[i]);
    }
    ga_tokenizer_file_free(&packing.tokenizer);
    return code;
}

const struct ga_command ga_command_pack = {
    .name = "pack",
    .summary = "prepare weights so that a process starts without packing them",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
