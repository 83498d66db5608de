// embedder.c: opens a model's files and makes vectors of texts, one sequence a call. Batches belong to programs that
// have many texts at once.
#define _POSIX_C_SOURCE 200809L // PATH_MAX
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "embedder.h"
#include "fault.h"
#include "ga_text.h"
#include "load.h"
#include "pack_file.h"
#include "weights.h"

struct ga_sqlite_embedder {
    const struct ga_model *model;
    const struct ga_loaded *weights; // in block
    void *block;
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    char prompt[GA_TEXT_PROMPT]; // [n_prompt]
    size_t n_prompt;
    void *scratch; // [scratch_size], for a sequence of rows
    size_t scratch_size;
    size_t rows;
    int32_t *padded; // [2][rows], ids and types of a text that is shorter than the model's shortest
};

// -- Weights --------------------------------------------------------------------------------------------------------

static enum ga_status new_block(struct ga_sqlite_embedder *e, size_t size, struct ga_error *error)
{
    e->block = ga_block_new(size);
    return e->block ? GA_OK : ga_fail(error, GA_MEMORY, "no memory for %zu bytes of weights", size);
}

static enum ga_status load_packed(struct ga_sqlite_embedder *e, const char *path, struct ga_error *error)
{
    struct ga_pack pack;
    const struct ga_variant *variant;
    enum ga_status status = ga_pack_open(path, &pack, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_pack_variant(&pack, e->model, NULL, &variant, error);
    const size_t size = status == GA_OK ? ga_model_packed_size(variant) : 0;
    if (status == GA_OK) {
        status = new_block(e, size, error);
    }
    if (status == GA_OK) {
        status = ga_pack_load(&pack, e->model, variant, GA_PACK_VERIFY, e->block, size, &e->weights, error);
    }
    ga_pack_close(&pack);
    return status;
}

static enum ga_status pack_views(struct ga_sqlite_embedder *e, struct ga_weights *file, struct ga_weight_view *views,
                                 struct ga_error *error)
{
    const struct ga_variant *variant;
    enum ga_status status = ga_load_views(e->model, file, NULL, views, error);
    if (status == GA_OK) {
        status = ga_model_variant(e->model, NULL, &variant, error);
    }
    const size_t size = status == GA_OK ? ga_model_packed_size(variant) : 0;
    if (status == GA_OK) {
        status = new_block(e, size, error);
    }
    return status == GA_OK ? ga_model_pack(e->model, variant, views, e->block, size, &e->weights, error) : status;
}

static enum ga_status load_named(struct ga_sqlite_embedder *e, const char *path, struct ga_error *error)
{
    struct ga_weights *file = NULL;
    struct ga_weight_view *views = calloc(e->model->n_roles, sizeof *views);
    enum ga_status status = views ? ga_weights_open_model(path, NULL, &file, error)
                                  : ga_fail(error, GA_MEMORY, "no memory for a list of weights");
    if (status == GA_OK) {
        status = pack_views(e, file, views, error);
    }
    ga_weights_close(file);
    free(views);
    return status;
}

// -- The tokenizer --------------------------------------------------------------------------------------------------

// The tokenizer among packed weights; *found_out says whether they hold one.
static enum ga_status open_attached(struct ga_sqlite_embedder *e, const char *weights, bool *found_out,
                                    struct ga_error *error)
{
    struct ga_pack pack;
    *found_out = false;
    enum ga_status status = ga_pack_open(weights, &pack, error);
    if (status != GA_OK) {
        return status;
    }
    const struct ga_pack_section *section = ga_pack_attachment(&pack, GA_TEXT_ATTACHMENT);
    *found_out = section != NULL;
    char *bytes = section ? malloc(section->bytes + 1) : NULL;
    if (section) {
        status = bytes ? ga_pack_read_attachment(&pack, section, bytes, error)
                       : ga_fail(error, GA_MEMORY, "no memory for the tokenizer of %s", weights);
        status = status == GA_OK
                     ? ga_text_tokenizer_open_for(e->model->spec, weights, bytes, section->bytes, &e->tokenizer, error)
                     : status;
    }
    free(bytes);
    ga_pack_close(&pack);
    return status;
}

// Another tokenizer than the recorded one gives vectors that look right and are not.
static enum ga_status open_beside(struct ga_sqlite_embedder *e, const char *weights, struct ga_error *error)
{
    char beside[PATH_MAX];
    uint64_t recorded;
    if (!ga_text_tokenizer_beside(weights, beside, sizeof beside)) {
        return ga_fail(error, GA_IO, "%.99s...: the path is too long", weights);
    }
    const enum ga_status status = ga_text_tokenizer_open_for(e->model->spec, beside, NULL, 0, &e->tokenizer, error);
    return status == GA_OK && ga_text_recorded_hash(e->model->spec, &recorded) &&
                   recorded != ga_text_tokenizer_hash(e->tokenizer)
               ? ga_fail(error, GA_UNSUPPORTED,
                         "%s: its hash is %016" PRIx64 "; %s was made for the tokenizer of hash %016" PRIx64
                         ": name it as the second argument to take it all the same",
                         beside, ga_text_tokenizer_hash(e->tokenizer), e->model->name, recorded)
               : status;
}

static enum ga_status find_tokenizer(struct ga_sqlite_embedder *e, const char *path, const char *weights,
                                     struct ga_error *error)
{
    bool found = false;
    if (path) {
        return ga_text_tokenizer_open_for(e->model->spec, path, NULL, 0, &e->tokenizer, error);
    }
    const enum ga_status status = ga_pack_is_file(weights) ? open_attached(e, weights, &found, error) : GA_OK;
    return status != GA_OK || found ? status : open_beside(e, weights, error);
}

static enum ga_status open_tokenizer(struct ga_sqlite_embedder *e, const char *path, const char *weights,
                                     struct ga_error *error)
{
    enum ga_status status = find_tokenizer(e, path, weights, error);
    if (status == GA_OK && ga_text_tokenizer_ids(e->tokenizer) > e->model->vocab_size) {
        return ga_fail(error, GA_SHAPE,
                       "the tokenizer has %zu ids, the model %zu: it is of another model, or tokens were added to "
                       "it and not to the model",
                       ga_text_tokenizer_ids(e->tokenizer), e->model->vocab_size);
    }
    if (status == GA_OK && ga_text_context_open(e->tokenizer, &e->context) != GA_OK) {
        status = ga_fail(error, GA_MEMORY, "no memory for a tokenizer's work space");
    }
    if (status == GA_OK) {
        e->n_prompt = ga_text_recorded_prompt(e->model->spec, e->prompt, sizeof e->prompt);
        ga_text_context_set_limit(e->context, e->model->q_len.max);
    }
    return status;
}

// -- Opening --------------------------------------------------------------------------------------------------------

static enum ga_status check_model(const struct ga_model *model, struct ga_error *error)
{
    if (!model->stack || !model->stack->pool || model->vocab_size == 0) {
        return ga_fail(error, GA_UNSUPPORTED, "%s gives no vector of a text: expected a model with tokens and a pool",
                       model->name);
    }
    return GA_OK;
}

static enum ga_status make_room(struct ga_sqlite_embedder *e, size_t rows, struct ga_error *error)
{
    const size_t size = ga_model_scratch_size(e->model, ga_loaded_variant(e->weights), 1, rows, rows, 1);
    void *scratch = ga_block_new(size);
    if (!scratch) {
        return ga_fail(error, GA_MEMORY, "no memory for %zu bytes of a sequence of %zu tokens", size, rows);
    }
    ga_block_free(e->scratch);
    e->scratch = scratch;
    e->scratch_size = size;
    e->rows = rows;
    return GA_OK;
}

static enum ga_status open_parts(struct ga_sqlite_embedder *e, const char *weights, const char *tokenizer,
                                 struct ga_error *error)
{
    const size_t least = e->model->q_len.min;
    e->padded = calloc(2 * least, sizeof *e->padded);
    enum ga_status status = e->padded ? GA_OK : ga_fail(error, GA_MEMORY, "no memory for %zu tokens", least);
    if (status == GA_OK) {
        status = ga_pack_is_file(weights) ? load_packed(e, weights, error) : load_named(e, weights, error);
    }
    if (status == GA_OK) {
        status = open_tokenizer(e, tokenizer, weights, error);
    }
    return status;
}

enum ga_status ga_sqlite_embedder_open(const struct ga_model *model, const char *weights, const char *tokenizer,
                                       struct ga_sqlite_embedder **embedder_out, struct ga_error *error)
{
    enum ga_status status = check_model(model, error);
    if (status != GA_OK) {
        return status;
    }
    struct ga_sqlite_embedder *e = calloc(1, sizeof *e);
    if (!e) {
        return ga_fail(error, GA_MEMORY, "no memory for %s", model->name);
    }
    e->model = model;
    status = open_parts(e, weights, tokenizer, error);
    if (status == GA_OK) {
        *embedder_out = e;
    } else {
        ga_sqlite_embedder_close(e);
    }
    return status;
}

void ga_sqlite_embedder_close(struct ga_sqlite_embedder *e)
{
    if (e) {
        ga_text_context_close(e->context);
        ga_text_tokenizer_close(e->tokenizer);
        ga_block_free(e->scratch);
        ga_block_free(e->block);
        free(e->padded);
        free(e);
    }
}

const char *ga_sqlite_embedder_isa(const struct ga_sqlite_embedder *e)
{
    return ga_loaded_variant(e->weights)->isa;
}

// -- Vectors --------------------------------------------------------------------------------------------------------

// Without lengths a model would take what pads a text for a part of it.
static enum ga_status check_length(const struct ga_model *model, size_t count, struct ga_error *error)
{
    return model->lengths || count >= model->q_len.min
               ? GA_OK
               : ga_fail(error, GA_ARGUMENT, "a text has %zu tokens; expected at least %zu, as %s takes no lengths",
                         count, model->q_len.min, model->name);
}

// Ids and types of a text in e->padded where it has fewer tokens than the model's shortest sequence.
static void pad(struct ga_sqlite_embedder *e, const struct ga_text_encoding *encoding, struct ga_io *io)
{
    const size_t least = e->model->q_len.min;
    if (encoding->count < least) {
        memset(e->padded, 0, 2 * least * sizeof *e->padded);
        memcpy(e->padded, encoding->ids, encoding->count * sizeof *e->padded);
        memcpy(e->padded + least, encoding->type_ids, encoding->count * sizeof *e->padded);
        io->q_len = least;
        io->tokens = e->padded;
        io->token_types = e->padded + least;
    }
}

// Ids of a text, after the prompt that the model's spec records.
static enum ga_status encode(struct ga_sqlite_embedder *e, const char *text, size_t length,
                             struct ga_text_encoding *encoding, struct ga_error *error)
{
    char *const prompted = e->n_prompt > 0 ? malloc(e->n_prompt + length) : NULL;
    if (e->n_prompt > 0 && !prompted) {
        return ga_fail(error, GA_MEMORY, "no memory for a text and its prompt");
    }
    if (prompted) {
        memcpy(prompted, e->prompt, e->n_prompt);
        memcpy(prompted + e->n_prompt, text, length);
    }
    const enum ga_status status = ga_text_encode(e->context, prompted ? prompted : text, e->n_prompt + length, NULL, 0,
                                                 GA_TEXT_REPLACE_INVALID, encoding, error);
    free(prompted);
    return status;
}

enum ga_status ga_sqlite_embed(struct ga_sqlite_embedder *e, const char *text, size_t length, float *vector_out,
                               struct ga_error *error)
{
    struct ga_text_encoding encoding;
    enum ga_status status = encode(e, text, length, &encoding, error);
    status = status == GA_OK ? check_length(e->model, encoding.count, error) : status;
    if (status != GA_OK) {
        return status;
    }
    const int32_t rows = (int32_t)encoding.count;
    struct ga_io io = {.batch = 1,
                       .q_len = encoding.count,
                       .tokens = encoding.ids,
                       .token_types = encoding.type_ids,
                       .embedding = vector_out,
                       .q_lengths = e->model->lengths ? &rows : NULL};
    pad(e, &encoding, &io);
    if (e->model->stack->token_types == 0) {
        io.token_types = NULL;
    }
    if (io.q_len > e->rows) {
        status = make_room(e, io.q_len, error);
    }
    return status == GA_OK ? ga_model_run(e->weights, &io, e->scratch, e->scratch_size, error) : status;
}
