// weights_index.c: reads the list of shards with jansson. A name in it is a file in its folder or is refused: it comes
// from where the model comes from, and must not lead elsewhere.
#include "weights_index.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "safetensors_header.h"

enum { INDEX_DEPTH = 64 }; // objects and arrays inside one another, as in a tokenizer.json

// -- Messages -------------------------------------------------------------------------------------------------------

uint64_t ga_weights_index_place(const struct ga_weights_index *index, const char *tensor)
{
    const size_t map = ga_place_member(index->text, ga_place_object(index->text), "weight_map").value;
    return ga_place_member(index->text, map, tensor).value;
}

enum ga_status ga_weights_index_refuse(const struct ga_weights_index *index, enum ga_status status, enum ga_fault fault,
                                       const char *tensor, const char *format, ...)
{
    char sentence[288];
    char name[GA_NAME_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    const uint64_t offset = ga_weights_index_place(index, tensor);
    return ga_fail_at(index->error, status, fault, offset, "%s: tensor '%s', byte %llu: %s", index->path,
                      ga_name_text(tensor, name, sizeof name), (unsigned long long)offset, sentence);
}

static enum ga_status refuse_json(const struct ga_weights_index *index, const json_error_t *why)
{
    if (why->text[0] == '\0') {
        return ga_weights_fail_memory(index->error, index->path, "the index");
    }
    char shown[JSON_ERROR_TEXT_LENGTH];
    const size_t read = why->position < 0 ? 0 : (size_t)why->position;
    const size_t end = read < index->text.size ? read : index->text.size;
    const struct ga_place_context context = ga_place_context(index->text, end);
    const bool twice = json_error_code(why) == json_error_duplicate_key;
    json_t *name = twice ? ga_place_string(index->text, context.last_string) : NULL;
    const size_t offset = twice ? context.last_string : end;
    (void)ga_fail_at(index->error, GA_FORMAT, twice ? GA_FAULT_SHARD_TENSOR_TWICE : GA_FAULT_INDEX, offset,
                     twice ? "%s: byte %zu: '%s' is there twice; expected each tensor once"
                           : "%s: byte %zu: the index is not valid JSON: %s; expected one JSON object",
                     index->path, offset,
                     ga_name_text(name == NULL ? why->text : json_string_value(name), shown, sizeof shown));
    json_decref(name);
    return GA_FORMAT;
}

// -- Checks ---------------------------------------------------------------------------------------------------------

static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// True for a plain name of a safetensors file, without any folder.
static bool is_shard_name(const char *name)
{
    static const char suffix[] = ".safetensors";
    const size_t length = strlen(name);
    bool plain = length > sizeof suffix - 1 && length <= GA_WEIGHTS_SHARD_NAME && is_letter(name[0]);
    for (size_t i = 0; i < length && plain; i++) {
        plain = is_letter(name[i]) || name[i] == '.' || name[i] == '-';
    }
    return plain && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

static enum ga_status refuse_shard_name(const struct ga_weights_index *index, const char *tensor, const json_t *shard)
{
    char shown[GA_NAME_TEXT];
    const char *name = json_string_value(shard);
    return ga_weights_index_refuse(index, GA_FORMAT, GA_FAULT_SHARD_NAME, tensor,
                                   "its shard is '%s'; expected the plain name of a .safetensors file in its folder",
                                   name == NULL ? "no string" : ga_name_text(name, shown, sizeof shown));
}

static enum ga_status check_map(struct ga_weights_index *index)
{
    const char *tensor;
    json_t *shard;
    if (!json_is_object(index->root) || !json_is_object(json_object_get(index->root, "weight_map"))) {
        return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_INDEX, 0,
                          "%s: byte 0: no object weight_map; expected the shard of each tensor under that name",
                          index->path);
    }
    index->weight_map = json_object_get(index->root, "weight_map");
    if (json_object_size(index->weight_map) == 0) {
        const size_t place = ga_place_member(index->text, ga_place_object(index->text), "weight_map").value;
        return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_INDEX_EMPTY, place,
                          "%s: byte %zu: weight_map lists no tensor; expected the shard of at least one", index->path,
                          place);
    }
    json_object_foreach(index->weight_map, tensor, shard)
    {
        if (!json_is_string(shard) || !is_shard_name(json_string_value(shard))) {
            return refuse_shard_name(index, tensor, shard);
        }
    }
    return GA_OK;
}

// -- The list of shards ---------------------------------------------------------------------------------------------

struct pair {
    const char *shard;
    const char *tensor;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left;
    const struct pair *b = right;
    const int order = strcmp(a->shard, b->shard);
    return order != 0 ? order : strcmp(a->tensor, b->tensor);
}

// Every tensor with its shard, sorted by shard; the caller's to free, NULL where there is no memory.
static struct pair *pairs_of(const struct ga_weights_index *index)
{
    struct pair *pairs = calloc(json_object_size(index->weight_map) + 1, sizeof *pairs);
    size_t count = 0;
    const char *tensor;
    json_t *shard;
    if (pairs != NULL) {
        json_object_foreach(index->weight_map, tensor, shard)
        {
            pairs[count++] = (struct pair){json_string_value(shard), tensor};
        }
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    }
    return pairs;
}

static enum ga_status list_shards(struct ga_weights_index *index)
{
    const size_t count = json_object_size(index->weight_map);
    struct pair *pairs = pairs_of(index);
    index->shards = calloc(GA_WEIGHTS_MAX_SHARDS, sizeof *index->shards);
    index->tensors = calloc(GA_WEIGHTS_MAX_SHARDS, sizeof *index->tensors);
    enum ga_status status = pairs == NULL || index->shards == NULL || index->tensors == NULL
                                ? ga_weights_fail_memory(index->error, index->path, "a list of shards")
                                : GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        if (i > 0 && strcmp(pairs[i].shard, pairs[i - 1].shard) == 0) {
            continue;
        }
        if (index->n_shards == GA_WEIGHTS_MAX_SHARDS) {
            status = ga_weights_index_refuse(index, GA_FORMAT, GA_FAULT_INDEX, pairs[i].tensor,
                                             "the index names more than %d shards; expected at most so many",
                                             GA_WEIGHTS_MAX_SHARDS);
        } else {
            index->shards[index->n_shards] = pairs[i].shard;
            index->tensors[index->n_shards++] = pairs[i].tensor;
        }
    }
    free(pairs);
    return status;
}

// -- Reading --------------------------------------------------------------------------------------------------------

static enum ga_status read_text(int fd, const struct ga_weights_options *options, struct ga_weights_index *index)
{
    struct ga_weights_source source;
    const enum ga_status status = ga_weights_source_of(fd, index->path, options, &source, index->error);
    if (status != GA_OK) {
        return status;
    }
    if (source.size > options->header_max) {
        return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_HEADER_CAP, 0,
                          "%s: byte 0: an index of %zu bytes; expected at most %zu: the limit can be set at opening",
                          index->path, source.size, options->header_max);
    }
    index->bytes = malloc(source.size + 1);
    index->text = (struct ga_text){index->bytes, source.size};
    return index->bytes == NULL ? ga_weights_fail_memory(index->error, index->path, "the index")
                                : ga_weights_source_read(&source, 0, index->bytes, source.size);
}

static enum ga_status check_values(const struct ga_weights_index *index)
{
    struct ga_json_excess excess;
    const size_t deep = ga_json_too_deep(index->text, INDEX_DEPTH);
    if (deep < index->text.size) {
        return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_NESTING, deep,
                          "%s: byte %zu: objects and arrays are nested more than %d deep; expected 2 as a rule",
                          index->path, deep, INDEX_DEPTH);
    }
    return ga_json_is_sparse(index->text, &excess)
               ? GA_OK
               : ga_fail_at(index->error, GA_FORMAT, GA_FAULT_VALUES_TOO_MANY, excess.place,
                            "%s: byte %zu: more than %zu %s in an index of %zu bytes; expected at most so many",
                            index->path, excess.place, excess.most, excess.what, index->text.size);
}

enum ga_status ga_weights_index_read(int fd, const struct ga_weights_options *options, struct ga_weights_index *index)
{
    json_error_t why;
    enum ga_status status = read_text(fd, options, index);
    (void)close(fd);
    status = status == GA_OK ? check_values(index) : status;
    if (status != GA_OK) {
        return status;
    }
    index->root = ga_json_read(index->text, 0, &why);
    if (index->root == NULL) {
        return refuse_json(index, &why);
    }
    status = check_map(index);
    return status == GA_OK ? list_shards(index) : status;
}

void ga_weights_index_free(struct ga_weights_index *index)
{
    json_decref(index->root);
    free(index->bytes);
    free(index->shards);
    free(index->tensors);
}
