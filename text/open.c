// open.c: opens a tokenizer from its file. Reading the file is read.c.
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "hash.h"
#include "json.h"
#include "settings.h"
#include "tokenizer.h"
#include "unicode.h"

#define VERSION "1.0"

struct file_fields {
    struct ga_text_bytes version;
    json_t *ends;                       // of what a GGUF file became: ids that end a text; no tokenizer.json has it
    struct ga_text_bytes chat_template; // of what a GGUF file became, or was packed; no tokenizer.json has it
    json_t *truncation, *added_tokens, *normalizer, *pretokenizer, *post_processor, *decoder, *model;
};

static const struct ga_text_field fields[] = {
    {"version", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct file_fields, version)},
    {"truncation", GA_TEXT_OBJECT, GA_TEXT_NULLABLE, offsetof(struct file_fields, truncation)},
    {"padding", GA_TEXT_IGNORED, GA_TEXT_NULLABLE, 0},
    {"added_tokens", GA_TEXT_ARRAY, GA_TEXT_NULLABLE, offsetof(struct file_fields, added_tokens)},
    {"normalizer", GA_TEXT_OBJECT, GA_TEXT_NULLABLE, offsetof(struct file_fields, normalizer)},
    {"pre_tokenizer", GA_TEXT_OBJECT, GA_TEXT_NULLABLE, offsetof(struct file_fields, pretokenizer)},
    {"post_processor", GA_TEXT_OBJECT, GA_TEXT_NULLABLE, offsetof(struct file_fields, post_processor)},
    {"decoder", GA_TEXT_OBJECT, GA_TEXT_NULLABLE, offsetof(struct file_fields, decoder)},
    {"model", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct file_fields, model)},
    {"ends", GA_TEXT_ARRAY, GA_TEXT_NULLABLE, offsetof(struct file_fields, ends)},
    {GA_TEXT_CHAT_TEMPLATE, GA_TEXT_STRING, GA_TEXT_NULLABLE, offsetof(struct file_fields, chat_template)},
};

static const struct ga_text_model_class *model_class(const struct ga_text_tokenizer *tokenizer)
{
    return (const struct ga_text_model_class *)tokenizer->model.base;
}

struct ga_text_bytes ga_text_token_text(const struct ga_text_tokenizer *tokenizer, int32_t id)
{
    const struct ga_text_added_token *token = ga_text_added_of(&tokenizer->added, id);
    return token ? ga_text_added_text(token)
                 : ga_text_vocabulary_token(model_class(tokenizer)->vocabulary(tokenizer->model.self), id);
}

size_t ga_text_tokenizer_ids(const struct ga_text_tokenizer *tokenizer)
{
    size_t ids = tokenizer ? model_class(tokenizer)->vocabulary(tokenizer->model.self)->count : 0;
    for (size_t i = 0; tokenizer && i < tokenizer->added.count; i++) {
        const size_t id = (size_t)tokenizer->added.tokens[i].id;
        ids = id + 1 > ids ? id + 1 : ids;
    }
    return ids;
}

size_t ga_text_tokenizer_max_length(const struct ga_text_tokenizer *tokenizer)
{
    return tokenizer && tokenizer->post.truncates ? tokenizer->post.max_length : SIZE_MAX;
}

const int32_t *ga_text_tokenizer_ends(const struct ga_text_tokenizer *tokenizer, size_t *count_out)
{
    if (count_out) {
        *count_out = tokenizer ? tokenizer->n_ends : 0;
    }
    return tokenizer ? tokenizer->ends : NULL;
}

struct ga_text_view ga_text_tokenizer_chat_template(const struct ga_text_tokenizer *tokenizer)
{
    return tokenizer ? (struct ga_text_view){tokenizer->chat_template, tokenizer->chat_template_length}
                     : (struct ga_text_view){NULL, 0};
}

void ga_text_tokenizer_close(struct ga_text_tokenizer *tokenizer)
{
    if (!tokenizer) {
        return;
    }
    ga_text_parts_close(&tokenizer->normalizers);
    ga_text_parts_close(&tokenizer->pretokenizers);
    ga_text_parts_close(&tokenizer->decoders);
    if (tokenizer->model.base && tokenizer->model.base->close) {
        tokenizer->model.base->close(tokenizer->model.self);
    }
    ga_text_added_free(&tokenizer->added);
    ga_text_post_free(&tokenizer->post);
    free(tokenizer->ends);
    free(tokenizer->chat_template);
    free(tokenizer);
}

// -- What follows from the components --------------------------------------------------------------------------------

// The first pre-tokenizer is given whole sections, whose place is known without spans unless something was made from
// them before: what begins a normalized text need not begin the text.
static bool asks_place(const struct ga_text_tokenizer *tokenizer)
{
    bool asks = false;
    for (size_t i = tokenizer->normalizers.count ? 0 : 1; i < tokenizer->pretokenizers.count; i++) {
        const struct ga_text_part *part = &tokenizer->pretokenizers.items[i];
        const struct ga_text_pretokenizer_class *class = (const void *)part->base;
        asks = asks || (class->before && (!class->asks_place || class->asks_place(part->self)));
    }
    return asks;
}

// -- Added tokens ----------------------------------------------------------------------------------------------------

static enum ga_status normalize_token(struct ga_text_context *context, struct ga_text_reader *reader,
                                      struct ga_text_added_token *token)
{
    const struct ga_text_string in = {.bytes = token->content, .length = token->length};
    const struct ga_text_where where = {true, true};
    const struct ga_text_string *out;
    const enum ga_status status = ga_text_normalize(context, &in, where, &out, reader->error);
    if (status != GA_OK || (out->length == in.length && memcmp(out->bytes, in.bytes, in.length) == 0)) {
        return status;
    }
    token->normalized = malloc(out->length + 1);
    if (!token->normalized) {
        return ga_text_refuse_memory(reader);
    }
    if (out->length) {
        memcpy(token->normalized, out->bytes, out->length);
    }
    token->normalized_length = out->length;
    return GA_OK;
}

static enum ga_status normalize_tokens(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader)
{
    struct ga_text_context *context;
    if (ga_text_context_open(tokenizer, &context) != GA_OK) {
        return ga_text_refuse_memory(reader);
    }
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < tokenizer->added.count && status == GA_OK; i++) {
        if (tokenizer->added.tokens[i].is_normalized) {
            status = normalize_token(context, reader, &tokenizer->added.tokens[i]);
        }
    }
    ga_text_context_close(context);
    return status;
}

static enum ga_status read_added(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader, json_t *array)
{
    const struct ga_text_vocabulary *vocabulary = model_class(tokenizer)->vocabulary(tokenizer->model.self);
    enum ga_status status = ga_text_added_read(&tokenizer->added, reader, array, vocabulary);
    status = status ? status : normalize_tokens(tokenizer, reader);
    return status ? status : ga_text_added_sort(&tokenizer->added, reader);
}

// -- The file --------------------------------------------------------------------------------------------------------

// Reads one field of the file, where it is there.
static enum ga_status read_in(struct ga_text_parts *parts, struct ga_text_reader *reader, const char *field,
                              json_t *object,
                              enum ga_status (*read)(struct ga_text_parts *, struct ga_text_reader *, json_t *))
{
    if (!object) {
        return GA_OK;
    }
    const size_t length = ga_text_reader_enter(reader, field, 0);
    const enum ga_status status = read(parts, reader, object);
    ga_text_reader_leave(reader, length);
    return status;
}

// Room for the ids of a file's `ends`, and for those that a spec records.
static enum ga_status reserve_ends(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader, size_t count,
                                   const char *recorded)
{
    for (int32_t id; ga_text_next_end(&recorded, &id);) {
        count++;
    }
    tokenizer->ends = malloc((count + 1) * sizeof *tokenizer->ends);
    return tokenizer->ends ? GA_OK : ga_text_refuse_memory(reader);
}

// The ids that end a text: integers, of which those that are no token's do no harm; after them those of the spec.
static enum ga_status read_ends(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader, json_t *array,
                                const struct ga_text_settings *settings)
{
    const size_t count = json_array_size(array);
    const enum ga_status status = reserve_ends(tokenizer, reader, count, settings->ends);
    if (status != GA_OK) {
        return status;
    }
    for (; tokenizer->n_ends < count; tokenizer->n_ends++) {
        const json_t *id = json_array_get(array, tokenizer->n_ends);
        if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) >= GA_TEXT_IDS) {
            return ga_text_refuse_as(reader, "ends[%zu] is not an id", tokenizer->n_ends);
        }
        tokenizer->ends[tokenizer->n_ends] = (int32_t)json_integer_value(id);
    }
    const char *recorded = settings->ends;
    while (ga_text_next_end(&recorded, &tokenizer->ends[tokenizer->n_ends])) {
        tokenizer->n_ends++;
    }
    return GA_OK;
}

static enum ga_status read_chat_template(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader,
                                         struct ga_text_bytes text)
{
    if (!text.bytes) {
        return GA_OK;
    }
    tokenizer->chat_template = malloc(text.length + 1);
    if (!tokenizer->chat_template) {
        return ga_text_refuse_memory(reader);
    }
    memcpy(tokenizer->chat_template, text.bytes, text.length);
    tokenizer->chat_template_length = text.length;
    return GA_OK;
}

static bool is_lowercase(const json_t *normalizer)
{
    const char *type = json_string_value(json_object_get(normalizer, "type"));
    return type && strcmp(type, "Lowercase") == 0;
}

// Whether the normalizer is Lowercase, or a Sequence of which one is.
static bool has_lowercase(const json_t *normalizer)
{
    const json_t *parts = json_object_get(normalizer, "normalizers");
    bool has = is_lowercase(normalizer);
    for (size_t i = 0; i < json_array_size(parts); i++) {
        has = has || is_lowercase(json_array_get(parts, i));
    }
    return has;
}

// The file's normalizer, after Lowercase where a model wants that and the file has none.
static enum ga_status read_normalizers(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader,
                                       json_t *normalizer, const struct ga_text_settings *settings)
{
    enum ga_status status = GA_OK;
    if (settings->lower_case && !has_lowercase(normalizer)) {
        json_t *lowercase = json_pack("{s:s}", "type", "Lowercase");
        status = lowercase ? ga_text_read_normalizers(&tokenizer->normalizers, reader, lowercase)
                           : ga_text_refuse_memory(reader);
        json_decref(lowercase);
    }
    return status ? status
                  : read_in(&tokenizer->normalizers, reader, "normalizer", normalizer, ga_text_read_normalizers);
}

static enum ga_status read_tokenizer(struct ga_text_tokenizer *tokenizer, struct ga_text_reader *reader, json_t *json,
                                     const struct ga_text_settings *settings)
{
    struct file_fields given = {0};
    enum ga_status status = ga_text_read_fields(reader, json, fields, sizeof fields / sizeof *fields, &given);
    if (status == GA_OK && strcmp(given.version.bytes, VERSION) != 0) {
        return ga_text_refuse(reader, "version", given.version.bytes, VERSION);
    }
    status = status ? status : read_normalizers(tokenizer, reader, given.normalizer, settings);
    status = status ? status
                    : read_in(&tokenizer->pretokenizers, reader, "pre_tokenizer", given.pretokenizer,
                              ga_text_read_pretokenizers);
    status = status ? status : read_in(&tokenizer->decoders, reader, "decoder", given.decoder, ga_text_read_decoders);
    status = status ? status : read_ends(tokenizer, reader, given.ends, settings);
    status = status ? status : read_chat_template(tokenizer, reader, given.chat_template);
    status = status ? status : ga_text_post_read(&tokenizer->post, reader, given.post_processor, given.truncation);
    if (status != GA_OK) {
        return status;
    }
    size_t length = ga_text_reader_enter(reader, "model", 0);
    status = ga_text_read_model(&tokenizer->model, reader, given.model);
    ga_text_reader_leave(reader, length);
    if (status != GA_OK) {
        return status;
    }
    length = ga_text_reader_enter(reader, "added_tokens", 0);
    status = read_added(tokenizer, reader, given.added_tokens);
    ga_text_reader_leave(reader, length);
    ga_text_post_set(&tokenizer->post, settings);
    tokenizer->is_local = tokenizer->normalizers.count > 0 && ga_text_is_local(tokenizer);
    tokenizer->asks_place = asks_place(tokenizer);
    return status;
}

// Opens what a JSON has, and of a packed tokenizer the tables beside it, which reader then has.
static enum ga_status open_json(struct ga_text_bytes bytes, struct ga_text_reader *reader,
                                const struct ga_text_settings *settings, struct ga_text_tokenizer **tokenizer_out)
{
    json_t *json;
    enum ga_status status = ga_text_json_read(reader, bytes, &json);
    if (status != GA_OK) {
        return status;
    }
    struct ga_text_tokenizer *tokenizer = calloc(1, sizeof *tokenizer);
    status = tokenizer ? read_tokenizer(tokenizer, reader, json, settings) : ga_text_refuse_memory(reader);
    json_decref(json);
    if (status != GA_OK) {
        ga_text_tokenizer_close(tokenizer);
        return status;
    }
    *tokenizer_out = tokenizer;
    return GA_OK;
}

static enum ga_status open_bytes(const char *name, const char *bytes, size_t length,
                                 const struct ga_text_settings *settings, struct ga_text_tokenizer **tokenizer_out,
                                 struct ga_error *error)
{
    struct ga_text_reader reader = {.file = name, .error = error};
    struct ga_text_packed packed = {.json = {bytes, length}};
    const bool is_packed = ga_text_is_packed(bytes, length);
    *tokenizer_out = NULL;
    enum ga_status status = is_packed ? ga_text_packed_read(name, bytes, length, &packed, error) : GA_OK;
    if (status == GA_OK) {
        reader.tables = is_packed ? &packed.tables : NULL;
        status = open_json(packed.json, &reader, settings, tokenizer_out);
    }
    if (status == GA_OK) {
        (*tokenizer_out)->hash = is_packed ? packed.hash : ga_text_file_hash(bytes, length);
    }
    return status;
}

enum ga_status ga_text_tokenizer_open_memory(const char *name, const char *bytes, size_t length,
                                             struct ga_text_tokenizer **tokenizer_out, struct ga_error *error)
{
    const enum ga_status status = GA_TEXT_CHECK("ga_text_tokenizer_open_memory", error, {"name", name},
                                                {"bytes", bytes}, {"tokenizer_out", tokenizer_out});
    const struct ga_text_settings settings = {0};
    return status ? status : open_bytes(name, bytes, length, &settings, tokenizer_out, error);
}

uint64_t ga_text_tokenizer_hash(const struct ga_text_tokenizer *tokenizer)
{
    return tokenizer ? tokenizer->hash : 0;
}

// Opens the bytes, or where they are NULL those of the file.
static enum ga_status open_given(const char *name, const char *bytes, size_t length,
                                 const struct ga_text_settings *settings, struct ga_text_tokenizer **tokenizer_out,
                                 struct ga_error *error)
{
    char *read = NULL;
    *tokenizer_out = NULL;
    enum ga_status status = bytes ? GA_OK : ga_text_tokenizer_read(name, &read, &length, error);
    if (status == GA_OK) {
        status = open_bytes(name, bytes ? bytes : read, length, settings, tokenizer_out, error);
    }
    free(read);
    return status;
}

enum ga_status ga_text_tokenizer_open_for(const char *spec, const char *name, const char *bytes, size_t length,
                                          struct ga_text_tokenizer **tokenizer_out, struct ga_error *error)
{
    const enum ga_status status =
        GA_TEXT_CHECK("ga_text_tokenizer_open_for", error, {"name", name}, {"tokenizer_out", tokenizer_out});
    const struct ga_text_settings settings = ga_text_recorded_settings(spec);
    return status ? status : open_given(name, bytes, length, &settings, tokenizer_out, error);
}

enum ga_status ga_text_tokenizer_open(const char *path, struct ga_text_tokenizer **tokenizer_out,
                                      struct ga_error *error)
{
    const enum ga_status status =
        GA_TEXT_CHECK("ga_text_tokenizer_open", error, {"path", path}, {"tokenizer_out", tokenizer_out});
    const struct ga_text_settings settings = {0};
    return status ? status : open_given(path, NULL, 0, &settings, tokenizer_out, error);
}
