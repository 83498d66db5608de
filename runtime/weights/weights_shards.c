// weights_shards.c: a model in several files: opens those that an index names, each in its folder, and holds what they
// have against what it says. A single file opens here too, where a folder or a path may be either, or the first of
// several GGUF files.
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE // O_NOFOLLOW on macOS

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weights_index.h"
#include "weights_modules.h"
#include "weights_splits.h"

// -- Shards ---------------------------------------------------------------------------------------------------------

// Length of the path's folder with its '/', 0 where it has none.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

// The path of a file in the folder of another; the caller's to free, NULL where there is no memory.
static char *beside(const char *path, const char *name)
{
    const size_t length = folder_length(path);
    char *joined = malloc(length + strlen(name) + 1);
    if (joined != NULL) {
        memcpy(joined, path, length);
        memcpy(joined + length, name, strlen(name) + 1);
    }
    return joined;
}

static enum ga_status refuse_open(const struct ga_weights_index *index, size_t i, int why)
{
    const char *tensor = index->tensors[i];
    char reason[128];
    if (why == ELOOP) {
        return ga_weights_index_refuse(index, GA_IO, GA_FAULT_SHARD_LINK, tensor,
                                       "its shard '%s' is a symbolic link; expected a file: copy the folder with cp -L",
                                       index->shards[i]);
    }
    if (why == ENOENT) {
        return ga_weights_index_refuse(index, GA_IO, GA_FAULT_SHARD_MISSING, tensor,
                                       "its shard '%s' is missing; expected it in the folder of the index",
                                       index->shards[i]);
    }
    return ga_weights_index_refuse(index, GA_IO, GA_FAULT_OPEN, tensor, "cannot open its shard '%s': %s",
                                   index->shards[i],
                                   strerror_r(why, reason, sizeof reason) == 0 ? reason : "unknown error");
}

static enum ga_status open_shard(const struct ga_weights_index *index, size_t i,
                                 const struct ga_weights_options *options, struct ga_weights_shard *shard)
{
    char *path = beside(index->path, index->shards[i]);
    if (path == NULL) {
        return ga_weights_fail_memory(index->error, index->path, "a shard's name");
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const enum ga_status status =
        fd < 0 ? refuse_open(index, i, errno) : ga_weights_shard_open(fd, path, options, shard, index->error);
    free(path);
    return status;
}

// -- What they hold -------------------------------------------------------------------------------------------------

static const char *shard_of(const struct ga_weights *weights, const struct ga_safetensors_entry *entry)
{
    const char *path = weights->shards[entry->shard].label;
    return path + folder_length(path);
}

// A tensor of the shards: in one of them, and in the one the index says.
static enum ga_status check_entry(const struct ga_weights_index *index, const struct ga_weights *weights, size_t i)
{
    const struct ga_safetensors_entry *entry = &weights->entries[i];
    const char *name = entry->tensor.name;
    const char *said = json_string_value(json_object_get(index->weight_map, name));
    if (i > 0 && strcmp(weights->entries[i - 1].tensor.name, name) == 0) {
        return ga_weights_index_refuse(index, GA_FORMAT, GA_FAULT_SHARD_TENSOR_TWICE, name,
                                       "it is in '%s' and in '%s'; expected it in one shard",
                                       shard_of(weights, entry - 1), shard_of(weights, entry));
    }
    if (said == NULL) {
        char shown[GA_NAME_TEXT];
        uint64_t offset = 0;
        const char *path = ga_weights_place(weights, &entry->tensor, &offset);
        return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_SHARD_TENSOR_UNLISTED, offset,
                          "%s: tensor '%s', byte %llu: the index does not list it; expected only what %s lists", path,
                          ga_name_text(name, shown, sizeof shown), (unsigned long long)offset, index->path);
    }
    return strcmp(said, shard_of(weights, entry)) == 0
               ? GA_OK
               : ga_weights_index_refuse(index, GA_FORMAT, GA_FAULT_SHARD_TENSOR_MISSING, name,
                                         "it is in '%s'; expected it in '%s', as the index says",
                                         shard_of(weights, entry), said);
}

static enum ga_status check_listed(const struct ga_weights_index *index, const struct ga_weights *weights)
{
    const char *tensor;
    json_t *shard;
    json_object_foreach(index->weight_map, tensor, shard)
    {
        if (ga_weights_find(weights, tensor) == NULL) {
            return ga_weights_index_refuse(index, GA_FORMAT, GA_FAULT_SHARD_TENSOR_MISSING, tensor,
                                           "it is not in '%s'; expected it there, as the index says",
                                           json_string_value(shard));
        }
    }
    return GA_OK;
}

// The index may say how many bytes all tensors have, as a number that some writers give a fraction of 0.
static enum ga_status check_total(const struct ga_weights_index *index, const struct ga_weights *weights)
{
    const json_t *said = json_object_get(json_object_get(index->root, "metadata"), "total_size");
    size_t total = 0;
    for (size_t i = 0; i < weights->count; i++) {
        total += weights->entries[i].bytes;
    }
    if (said == NULL || (json_is_number(said) && json_number_value(said) == (double)total)) {
        return GA_OK;
    }
    const size_t metadata = ga_place_member(index->text, ga_place_object(index->text), "metadata").value;
    const uint64_t offset = ga_place_member(index->text, metadata, "total_size").value;
    return ga_fail_at(index->error, GA_FORMAT, GA_FAULT_SHARD_TOTAL, offset,
                      "%s: byte %llu: total_size is %.17g; expected %zu, the bytes of the %zu tensors in %zu shards",
                      index->path, (unsigned long long)offset, json_number_value(said), total, weights->count,
                      weights->n_shards);
}

static enum ga_status check_shards(const struct ga_weights_index *index, const struct ga_weights *weights)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < weights->count && status == GA_OK; i++) {
        status = check_entry(index, weights, i);
    }
    status = status == GA_OK ? check_listed(index, weights) : status;
    return status == GA_OK ? check_total(index, weights) : status;
}

// -- All of them ----------------------------------------------------------------------------------------------------

static enum ga_status open_shards(const struct ga_weights_index *index, const struct ga_weights_options *options,
                                  struct ga_weights **weights_out)
{
    struct ga_weights_shard *shards = calloc(index->n_shards + 1, sizeof *shards);
    enum ga_status status = shards == NULL ? ga_weights_fail_memory(index->error, index->path, "the shards") : GA_OK;
    for (size_t i = 0; i < index->n_shards && status == GA_OK; i++) {
        status = open_shard(index, i, options, &shards[i]);
    }
    if (status == GA_OK) {
        return ga_weights_join(index->path, shards, index->n_shards, weights_out, index->error);
    }
    for (size_t i = 0; shards != NULL && i < index->n_shards; i++) {
        ga_weights_shard_free(&shards[i]);
    }
    free(shards);
    return status;
}

static enum ga_status open_index(const char *path, const struct ga_weights_options *options,
                                 struct ga_weights **weights_out, struct ga_error *error)
{
    struct ga_weights_index index = {.path = path, .error = error};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return ga_weights_fail_errno(error, GA_FAULT_OPEN, path, "open");
    }
    enum ga_status status = ga_weights_index_read(fd, options, &index);
    status = status == GA_OK ? open_shards(&index, options, weights_out) : status;
    status = status == GA_OK ? check_shards(&index, *weights_out) : status;
    ga_weights_index_free(&index);
    return status;
}

static bool ends_in(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static enum ga_status open_path(const char *path, const struct ga_weights_options *options,
                                struct ga_weights **weights_out, struct ga_error *error)
{
    if (ends_in(path, ".index.json")) {
        return open_index(path, options, weights_out, error);
    }
    const enum ga_status status = ga_weights_open_with(path, options, weights_out, error);
    return status == GA_OK ? ga_weights_add_splits(path, options, *weights_out, error) : status;
}

// The one of a folder's files that is there, as transformers looks for them.
static enum ga_status open_folder(const char *folder, const struct ga_weights_options *options,
                                  struct ga_weights **weights_out, struct ga_error *error)
{
    static const char whole[] = "/model.safetensors", index[] = "/model.safetensors.index.json";
    const size_t size = strlen(folder) + sizeof index;
    char *path = malloc(size);
    struct stat st;
    if (path == NULL) {
        return ga_weights_fail_memory(error, folder, "a path");
    }
    (void)snprintf(path, size, "%s%s", folder, whole);
    if (stat(path, &st) != 0 && errno == ENOENT) {
        (void)snprintf(path, size, "%s%s", folder, index);
    }
    enum ga_status status = GA_OK;
    if (stat(path, &st) != 0 && errno == ENOENT) {
        status = ga_fail_at(error, GA_IO, GA_FAULT_OPEN, GA_NO_OFFSET,
                            "%s: a folder without weights; expected model.safetensors, or %s with its shards; weights "
                            "of another format, such as pytorch_model.bin, are not read: save them as safetensors",
                            folder, index + 1);
    } else {
        status = open_path(path, options, weights_out, error);
    }
    status = status == GA_OK ? ga_weights_add_modules(folder, options, *weights_out, error) : status;
    free(path);
    return status;
}

enum ga_status ga_weights_open_model(const char *path, const struct ga_weights_options *options,
                                     struct ga_weights **weights_out, struct ga_error *error)
{
    struct stat st;
    struct ga_weights_options full;
    if (path == NULL || weights_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_open_model: %s is NULL", path == NULL ? "path" : "weights_out");
    }
    *weights_out = NULL;
    enum ga_status status = ga_weights_options_fill(options, &full, error);
    if (status != GA_OK) {
        return status;
    }
    status = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? open_folder(path, &full, weights_out, error)
                                                         : open_path(path, &full, weights_out, error);
    if (status != GA_OK) {
        ga_weights_close(*weights_out);
        *weights_out = NULL;
    }
    return status;
}
