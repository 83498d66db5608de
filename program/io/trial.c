// trial.c: a call or a pooling that is run again with another choice.
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "output_name.h"

// The time that this thread computes where it does all of it, so that others that have the CPU meanwhile do not count.
static double seconds_now(const struct ga_trial *trial)
{
    return trial->instance.parallel ? ga_seconds_now() : ga_thread_seconds();
}

// The outputs that are looked at.
static const char *words_of(const struct ga_model *model, bool pools)
{
    static const char *const words[2][2][2] = {
        {{"output", "output and class_logits"}, {"output and logits", "output, logits and class_logits"}},
        {{"embedding", "embedding and class_logits"}, {"embedding and logits", "embedding, logits and class_logits"}}};
    const struct ga_stack *stack = model->stack;
    return words[pools][stack && stack->n_logits > 0][stack && stack->n_labels > 0];
}

// -- Tensors of a file ----------------------------------------------------------------------------------------------

static enum ga_exit open_call(struct ga_trial *trial, const char *input)
{
    const struct ga_context *context = trial->context;
    const struct ga_model *model = context->model;
    const enum ga_output output = model->stack && model->stack->pool != GA_POOL_NONE ? GA_EMBEDDING : GA_OUTPUT;
    bool wanted[GA_OUTPUTS] = {false};
    struct ga_model_call *call = &trial->call;
    enum ga_exit code = ga_model_call_open(context, input, call);
    if (code != GA_EXIT_OK) {
        return code;
    }
    wanted[output] = true;
    wanted[GA_LOGITS] = trial->gives_more && model->stack && model->stack->n_logits > 0;
    wanted[GA_CLASS_LOGITS] = model->stack && model->stack->n_labels > 0;
    trial->what = words_of(model, output == GA_EMBEDDING);
    trial->count = call->io.batch * (output == GA_EMBEDDING ? 1 : call->io.q_len);
    trial->width = output == GA_EMBEDDING ? model->stack->d_embedding : model->d_out;
    code = ga_model_call_room(context, wanted, call);
    if (code == GA_EXIT_OK && trial->gives_more && model->stack) {
        trial->more[GA_TRIAL_LOGITS] =
            (struct ga_trial_more){call->io.batch * call->io.q_len * model->stack->n_logits, call->io.logits};
        trial->more[GA_TRIAL_CLASSES] =
            (struct ga_trial_more){call->io.batch * model->stack->n_labels, call->io.class_logits};
    }
    return code;
}

// The scratch is made with the first cache, whose rows say how many keys there are.
static enum ga_exit make_scratch(struct ga_trial *trial)
{
    const struct ga_io *io = &trial->call.io;
    if (trial->scratch) {
        return GA_EXIT_OK;
    }
    trial->scratch_size = ga_model_scratch_size(trial->context->model, trial->instance.variant, io->batch, io->q_len,
                                                trial->call.kv_len, io->parallel ? io->parallel->threads : 1);
    trial->scratch = trial->scratch_size == SIZE_MAX ? NULL : ga_block_new(trial->scratch_size);
    return trial->scratch ? GA_EXIT_OK : ga_failed(trial->context, "no memory for scratch");
}

// A cache is begun anew, so that no run finds what another one left.
static enum ga_exit run_call(struct ga_trial *trial, const enum ga_arithmetic *choice, double *seconds_out)
{
    struct ga_io *io = &trial->call.io;
    struct ga_error error;
    ga_block_free(io->cache);
    io->cache = NULL;
    io->arithmetic = choice;
    io->watch = trial->watch;
    io->parallel = trial->instance.parallel;
    enum ga_exit code = ga_model_call_cache_new(trial->context, &trial->instance, &trial->call);
    code = code == GA_EXIT_OK ? make_scratch(trial) : code;
    if (code != GA_EXIT_OK) {
        return code;
    }
    const double begun = seconds_now(trial);
    const enum ga_status status = ga_model_run(trial->instance.loaded, io, trial->scratch, trial->scratch_size, &error);
    *seconds_out = seconds_now(trial) - begun;
    return status == GA_OK ? GA_EXIT_OK : ga_failed(trial->context, "%s: %s", trial->call.path, error.text);
}

// -- Texts ----------------------------------------------------------------------------------------------------------

static enum ga_exit read_texts(struct ga_trial *trial, const char *input)
{
    enum ga_exit code = ga_texts_open(trial->context, input, false, &trial->texts);
    code = code == GA_EXIT_OK ? ga_text_block_read(&trial->reader, &trial->texts, &trial->block) : code;
    const size_t count = trial->block.sequences.count;
    if (code == GA_EXIT_OK && count == 0) {
        return ga_failed(trial->context, "%s: has no texts; expected one a line", input);
    }
    if (code == GA_EXIT_OK && ga_text_block_is_full(&trial->block)) {
        ga_note(trial->context, "%s: its first %zu texts are taken", input, count);
    }
    return code;
}

// What keeps a model from taking texts, or NULL.
static const char *lacks_for_texts(const struct ga_model *model)
{
    return model->vocab_size == 0                      ? "takes no token ids"
           : model->stack && model->kind != GA_ENCODER ? "attends to a memory besides them"
           : !model->stack                             ? "is a single layer"
                                                       : NULL;
}

// Room for what texts have besides a row; false where there is no memory.
static bool make_more(struct ga_trial *trial)
{
    const struct ga_stack *stack = trial->context->model->stack;
    const size_t widths[GA_TRIAL_MORE] = {[GA_TRIAL_LOGITS] = stack->n_logits, [GA_TRIAL_CLASSES] = stack->n_labels};
    bool is_made = true;
    for (size_t m = 0; m < GA_TRIAL_MORE; m++) {
        struct ga_trial_more *more = &trial->more[m];
        more->count = trial->count * widths[m];
        more->data = more->count > 0 ? malloc(more->count * sizeof *more->data) : NULL;
        is_made = is_made && (more->count == 0 || more->data);
    }
    trial->pooling.last_logits = trial->more[GA_TRIAL_LOGITS].data;
    trial->pooling.class_logits = trial->more[GA_TRIAL_CLASSES].data;
    return is_made;
}

// Opens what makes ids of texts.
static enum ga_exit open_reader(struct ga_trial *trial, const char *tokenizer, const char *weights)
{
    const struct ga_context *context = trial->context;
    const enum ga_exit code = ga_text_reader_open(context, tokenizer, weights, false, &trial->reader);
    if (code != GA_EXIT_OK) {
        ga_note(context, "token ids take the place of texts in a file whose name ends in .safetensors: tokens [B, L]");
    }
    return code;
}

static enum ga_exit open_texts(struct ga_trial *trial, const char *input, const char *tokenizer, const char *weights)
{
    const struct ga_context *context = trial->context;
    const struct ga_model *model = context->model;
    const char *lacks = lacks_for_texts(model);
    const bool pools = !lacks && model->stack->pool != GA_POOL_NONE;
    if (lacks) {
        return ga_failed(context,
                         "%s: is taken for texts, but %s %s; expected a safetensors file as run takes it, whose name "
                         "ends in .safetensors",
                         input, model->name, lacks);
    }
    const char *why = pools ? ga_pooling_refusal(model) : NULL;
    enum ga_exit code = why ? ga_failed(context, "%s %s", model->name, why) : GA_EXIT_OK;
    code = code == GA_EXIT_OK ? open_reader(trial, tokenizer, weights) : code;
    code = code == GA_EXIT_OK ? read_texts(trial, input) : code;
    if (code != GA_EXIT_OK) {
        return code;
    }
    trial->pooling = pools ? ga_pooling_of(context, &trial->instance) : ga_pooling_of_rows(context, &trial->instance);
    trial->what = words_of(model, pools);
    trial->count = trial->block.sequences.count;
    trial->width = pools ? model->stack->d_embedding : model->d_model;
    trial->pooled = malloc(trial->count * trial->width * sizeof *trial->pooled);
    return trial->pooled && (!trial->gives_more || make_more(trial))
               ? GA_EXIT_OK
               : ga_failed(context, "no memory for %zu embeddings", trial->count);
}

static enum ga_exit run_texts(struct ga_trial *trial, const enum ga_arithmetic *choice, double *seconds_out)
{
    trial->pooling.arithmetic = choice;
    trial->pooling.watch = trial->watch;
    trial->pooling.progress = trial->progress;
    trial->pooling.end = 1;
    const double begun = seconds_now(trial);
    const enum ga_exit code = ga_pool_sequences(&trial->pooling, &trial->block.sequences, trial->pooled);
    *seconds_out = seconds_now(trial) - begun;
    return code;
}

// -- Either ---------------------------------------------------------------------------------------------------------

enum ga_exit ga_trial_open(const struct ga_context *context, const struct ga_weight_choice *choice, const char *input,
                           const char *tokenizer, bool gives_more, struct ga_trial *trial_out)
{
    *trial_out = (struct ga_trial){.context = context, .gives_more = gives_more};
    trial_out->is_text = !ga_name_ends_in(input, GA_SAFETENSORS_ENDING);
    const enum ga_exit code =
        trial_out->is_text ? open_texts(trial_out, input, tokenizer, choice->weights) : open_call(trial_out, input);
    return code == GA_EXIT_OK ? ga_load_model(context, choice, &trial_out->instance) : code;
}

enum ga_exit ga_trial_run(struct ga_trial *trial, const enum ga_arithmetic *choice, double *seconds_out)
{
    return trial->is_text ? run_texts(trial, choice, seconds_out) : run_call(trial, choice, seconds_out);
}

const float *ga_trial_row(const struct ga_trial *trial, size_t i)
{
    const struct ga_io *io = &trial->call.io;
    const float *rows = trial->is_text ? trial->pooled : io->embedding ? io->embedding : io->output;
    return rows + i * trial->width;
}

bool ga_trial_is_real(const struct ga_trial *trial, size_t i)
{
    const struct ga_io *io = &trial->call.io;
    return trial->is_text || io->embedding || !io->q_lengths || i % io->q_len < (size_t)io->q_lengths[i / io->q_len];
}

void ga_trial_close(struct ga_trial *trial)
{
    ga_model_call_close(&trial->call);
    ga_block_free(trial->scratch);
    ga_text_block_free(&trial->block);
    ga_texts_close(&trial->texts);
    ga_text_reader_close(&trial->reader);
    for (size_t m = 0; m < GA_TRIAL_MORE; m++) {
        free(trial->is_text ? trial->more[m].data : NULL);
    }
    ga_pooling_free(&trial->pooling);
    free(trial->pooled);
    ga_model_instance_free(&trial->instance);
}
