// pack.c: the command `pack`: weights as the kernels read them, in a file that loads without packing.
// Runs nothing.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "cpu.h"
#include "load_model.h"
#include "weights_options.h"

enum { OUTPUT = GA_OPTION_TRUST, ISA };

static const struct ga_option options[] = {
    GA_WEIGHTS_OPTIONS,
    [OUTPUT] = {"output", "FILE", NULL, true, "file to write, NAME.gap by custom"},
    [ISA] = {"isa", "NAME", "the best this CPU runs", false, "instruction set to pack for; all: each this CPU runs"},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "What it writes goes where other commands take --weights; they tell it by its first bytes. It is for",
    "this build of the model alone: a build of another spec, or that packs otherwise, refuses it by name.",
    "Each instruction set packs in panels of its own. A file for one runs on a CPU with a better one too,",
    "by the one it is for, and the program says so.",
    NULL,
};

static const char *const examples[] = {
    "pack --weights w.safetensors --output w.gap",
    "pack --weights w.safetensors --output w.gap --isa all",
    NULL,
};

// The variants to pack for, and what was packed of each.
struct packing {
    size_t count;
    const char *isas[GA_PACK_SECTIONS];
    struct ga_model_instance instance[GA_PACK_SECTIONS];
};

// All that this CPU runs; of the others says that they are left out.
static void list_all(const struct ga_context *context, struct packing *packing)
{
    const struct ga_model *model = context->model;
    for (size_t i = 0; i < model->n_variants && packing->count < GA_PACK_SECTIONS; i++) {
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
               ? ga_failed(context, "%s: is packed already; pack the safetensors file it was made of", weights)
               : GA_EXIT_OK;
}

static enum ga_exit write_packed(const struct ga_context *context, const struct packing *packing, const char *path)
{
    const struct ga_loaded *loaded[GA_PACK_SECTIONS];
    struct ga_error error;
    for (size_t i = 0; i < packing->count; i++) {
        loaded[i] = packing->instance[i].loaded;
    }
    if (ga_pack_write(path, loaded, packing->count, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    for (size_t i = 0; i < packing->count; i++) {
        ga_print_line("%s: %s for %s, %zu bytes", path, context->model->name, loaded[i]->variant->isa,
                      loaded[i]->variant->packed_bytes);
    }
    return GA_EXIT_OK;
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
    for (size_t i = 0; i < packing.count && code == GA_EXIT_OK; i++) {
        const struct ga_weight_choice choice = ga_weights_chosen(values, packing.isas[i]);
        code = ga_load_model(context, &choice, &packing.instance[i]);
    }
    if (code == GA_EXIT_OK) {
        code = write_packed(context, &packing, values[OUTPUT]);
    }
    for (size_t i = 0; i < packing.count; i++) {
        ga_model_instance_free(&packing.instance[i]);
    }
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
