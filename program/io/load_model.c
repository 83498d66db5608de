// load_model.c: from --weights or --allow-random, --weights-layout, --isa and --threads to packed weights and a pool.
// The views and the file they come from are gone when it returns; only the packed block stays.
#include "load_model.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "command.h"
#include "load.h"
#include "random.h"
#include "round_weights.h"
#include "weights.h"
#include "weights_checksum.h"

enum { MAX_NAMES = 32 };

static enum ga_exit refuse_isa(const struct ga_context *context, const char *isa)
{
    const char *names[MAX_NAMES];
    char list[256] = "";
    size_t count = 0;
    for (; count < context->model->n_variants && count < MAX_NAMES; count++) {
        names[count] = context->model->variants[count].isa;
        strncat(list, count ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, names[count], sizeof list - strlen(list) - 1);
    }
    char hint[GA_PRINTABLE];
    return ga_misused(context, "--isa %s: not in this build, which has %s%s", isa, list,
                      ga_did_you_mean(ga_suggest_name(isa, names, count), hint));
}

enum ga_exit ga_choose_variant(const struct ga_context *context, const char *isa, const struct ga_variant **variant_out)
{
    struct ga_error error;
    enum ga_status status = ga_model_variant(context->model, isa, variant_out, &error);
    if (status == GA_UNSUPPORTED && isa) {
        return refuse_isa(context, isa);
    }
    return status == GA_OK ? GA_EXIT_OK : ga_failed(context, "%s", error.text);
}

static enum ga_exit pack(const struct ga_context *context, const struct ga_weight_choice *choice,
                         const struct ga_weight_view *views, struct ga_model_instance *instance)
{
    size_t size = ga_model_packed_size(instance->variant);
    instance->block = size == SIZE_MAX ? NULL : ga_block_room(size);
    if (!instance->block) {
        return ga_failed(context, "no memory for %zu bytes of packed weights", size);
    }
    struct ga_error error;
    enum ga_status status =
        ga_model_pack(context->model, instance->variant, views, instance->block, size, &instance->loaded, &error);
    if (status == GA_OK && choice->wants_checksum) {
        instance->weights = ga_weights_checksum(context->model, views);
    }
    return status == GA_OK ? GA_EXIT_OK : ga_failed(context, "%s", error.text);
}

static enum ga_exit pack_random(const struct ga_context *context, const struct ga_weight_choice *choice, uint64_t seed,
                                struct ga_weight_view *views, struct ga_model_instance *instance)
{
    void *made = ga_random_views(context->model, seed, views);
    enum ga_exit code = made ? pack(context, choice, views, instance) : ga_failed(context, "no memory for the weights");
    free(made);
    return code;
}

static enum ga_exit refuse_layout(const struct ga_context *context, const char *layout)
{
    const struct ga_model *model = context->model;
    const char *names[MAX_NAMES];
    size_t count = model->n_maps < MAX_NAMES ? model->n_maps : MAX_NAMES;
    for (size_t i = 0; i < count; i++) {
        names[i] = model->maps[i].name;
    }
    char hint[GA_PRINTABLE];
    return ga_misused(context, "--weights-layout %s: no layout of this model%s (%s info lists them)", layout,
                      ga_did_you_mean(ga_suggest_name(layout, names, count), hint), context->program);
}

static bool has_layout(const struct ga_model *model, const char *layout)
{
    for (size_t i = 0; i < model->n_maps; i++) {
        if (strcmp(model->maps[i].name, layout) == 0) {
            return true;
        }
    }
    return false;
}

// --weights-check: words joined by commas.
static enum ga_exit read_checks(const struct ga_context *context, const char *list, struct ga_load_options *options)
{
    while (list) {
        const size_t length = strcspn(list, ",");
        if (length == strlen("strict") && strncmp(list, "strict", length) == 0) {
            options->strict = true;
        } else if (length == strlen("finite") && strncmp(list, "finite", length) == 0) {
            options->finite = true;
        } else {
            return ga_misused(context, "--weights-check %s: expected strict, finite or strict,finite",
                              *list ? list : "\"\"");
        }
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return GA_EXIT_OK;
}

static enum ga_exit pack_file(const struct ga_context *context, const struct ga_weight_choice *choice,
                              struct ga_weight_view *views, struct ga_model_instance *instance)
{
    struct ga_weights *file;
    struct ga_error error;
    struct ga_load_options options = {.layout = choice->layout, .prefix = choice->prefix};
    if (read_checks(context, choice->checks, &options) != GA_EXIT_OK) {
        return GA_EXIT_USAGE;
    }
    if (ga_weights_open_model(choice->weights, NULL, &file, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    enum ga_status status = ga_load_views_with(context->model, file, &options, views, &error);
    enum ga_exit code = status == GA_OK ? GA_EXIT_OK : ga_failed(context, "%s", error.text);
    struct ga_rounded rounded = {0};
    if (code == GA_EXIT_OK && choice->sums) {
        code = ga_round_weights(context, choice->sums, views, &rounded);
    }
    code = code == GA_EXIT_OK ? pack(context, choice, views, instance) : code;
    ga_rounded_free(&rounded);
    ga_weights_close(file);
    return code;
}

// Weights of a file, or where there is none those of the seed.
static enum ga_exit pack_views(const struct ga_context *context, const struct ga_weight_choice *choice, uint64_t seed,
                               struct ga_model_instance *instance)
{
    struct ga_weight_view *views = calloc(context->model->n_roles + 1, sizeof *views);
    enum ga_exit code = !views            ? ga_failed(context, "no memory")
                        : choice->weights ? pack_file(context, choice, views, instance)
                                          : pack_random(context, choice, seed, views, instance);
    free(views);
    return code;
}

// What goes with a file alone.
static enum ga_exit check_random(const struct ga_context *context, const struct ga_weight_choice *choice)
{
    const struct {
        const char *given, *what;
    } of_files[] = {
        {choice->layout, "--weights-layout says how a file names its tensors"},
        {choice->prefix, "--weights-prefix is the prefix of a file's tensor names"},
        {choice->checks, "--weights-check says what a file must be"},
        {choice->trust, "--trust-weights is for a file that pack made"},
    };
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++) {
        if (of_files[i].given) {
            return ga_misused(context, "%s; --allow-random reads none: leave one of them away", of_files[i].what);
        }
    }
    return GA_EXIT_OK;
}

static enum ga_exit check_choice(const struct ga_context *context, const struct ga_weight_choice *choice)
{
    if (context->model->n_roles == 0) {
        return choice->weights || choice->random || choice->layout || choice->prefix || choice->checks || choice->trust
                   ? ga_misused(context,
                                "this model has no weights: leave --weights, --allow-random, --weights-layout, "
                                "--weights-prefix, --weights-check and --trust-weights away")
                   : GA_EXIT_OK;
    }
    if (!choice->weights == !choice->random) {
        return ga_misused(context, "%s",
                          choice->weights ? "--weights and --allow-random cannot be given together"
                                          : "--weights PATH is missing (or --allow-random SEED to make weights up)");
    }
    if (choice->random) {
        return check_random(context, choice);
    }
    return choice->layout && !has_layout(context->model, choice->layout) ? refuse_layout(context, choice->layout)
                                                                         : GA_EXIT_OK;
}

enum ga_exit ga_start_threads(const struct ga_context *context, size_t threads, struct ga_threads **pool_out)
{
    struct ga_error error;
    size_t available = ga_threads_available();
    *pool_out = NULL;
    if (threads > available) {
        ga_note(context, "%zu threads have %zu CPU%s to share: more threads than CPUs gain nothing", threads, available,
                available == 1 ? "" : "s");
    }
    if (threads > 1 && ga_threads_new(threads, pool_out, &error) != GA_OK) {
        return ga_failed(context, "--threads %zu: %s", threads, error.text);
    }
    return GA_EXIT_OK;
}

static enum ga_exit load_weights(const struct ga_context *context, const struct ga_weight_choice *choice, uint64_t seed,
                                 struct ga_model_instance *instance_out)
{
    if (context->model->n_roles == 0) {
        return pack(context, choice, NULL, instance_out);
    }
    if (choice->random) {
        ga_note(context, "no weights were loaded: they are made up from seed %s, so the results mean nothing",
                choice->random);
    } else if (ga_pack_is_file(choice->weights)) {
        return ga_load_packed_model(context, choice, instance_out);
    } else if (choice->trust) {
        return ga_misused(context, "--trust-weights is for a file that pack made; %s is not one", choice->weights);
    }
    return pack_views(context, choice, seed, instance_out);
}

enum ga_exit ga_load_model(const struct ga_context *context, const struct ga_weight_choice *choice,
                           struct ga_model_instance *instance_out)
{
    *instance_out = (struct ga_model_instance){0};
    uint64_t seed = 0;
    enum ga_exit code = check_choice(context, choice);
    if (code == GA_EXIT_OK) {
        code = ga_read_seed(context, "allow-random", choice->random, &seed);
    }
    if (code == GA_EXIT_OK) {
        code = ga_choose_variant(context, choice->isa, &instance_out->variant);
    }
    if (code == GA_EXIT_OK) {
        code = load_weights(context, choice, seed, instance_out); // a packed file may have another variant
    }
    if (code == GA_EXIT_OK && instance_out->variant->emulates) {
        ga_note(context, "%s emulates the spec's dtype by multiply-adds of f32", instance_out->variant->isa);
    }
    if (code == GA_EXIT_OK) {
        code = ga_start_threads(context, choice->threads, &instance_out->pool);
    }
    instance_out->parallel = instance_out->pool ? ga_threads_parallel(instance_out->pool) : NULL;
    return code;
}

enum ga_exit ga_load_random_model(const struct ga_context *context, const struct ga_variant *variant, uint64_t seed,
                                  struct ga_model_instance *instance_out)
{
    const struct ga_weight_choice choice = {.weights = NULL};
    *instance_out = (struct ga_model_instance){.variant = variant};
    return pack_views(context, &choice, seed, instance_out);
}

void ga_model_instance_free(struct ga_model_instance *instance)
{
    ga_threads_free(instance->pool);
    ga_pack_unmap(&instance->map);
    ga_block_free(instance->block);
    *instance = (struct ga_model_instance){0};
}
