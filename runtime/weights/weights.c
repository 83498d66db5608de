// weights.c: an open handle on checked tensors: opened from one file or from bytes, looked up by name, closed. Knows no
// model; how a file's bytes become tensors is weights_shard.c's.
#define _POSIX_C_SOURCE 200809L

#include "weights.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "weights_shard.h"

// -- Opening --------------------------------------------------------------------------------------------------------

enum ga_status ga_weights_options_fill(const struct ga_weights_options *options, struct ga_weights_options *full_out,
                                       struct ga_error *error)
{
    *full_out = options == NULL ? (struct ga_weights_options){0} : *options;
    if (full_out->header_max == 0) {
        full_out->header_max = GA_WEIGHTS_HEADER_MAX;
    }
    return full_out->header_max <= GA_WEIGHTS_HEADER_LARGEST
               ? GA_OK
               : ga_fail(error, GA_ARGUMENT, "header_max is %zu; expected at most %d", full_out->header_max,
                         GA_WEIGHTS_HEADER_LARGEST);
}

// Frees the shards where they do not become weights.
static enum ga_status weights_of_shard(const char *label, struct ga_weights_shard *shard, enum ga_status status,
                                       struct ga_weights **weights_out, struct ga_error *error)
{
    struct ga_weights_shard *shards = status == GA_OK ? malloc(sizeof *shards) : NULL;
    if (shards == NULL) {
        ga_weights_shard_free(shard);
        return status == GA_OK ? ga_weights_fail_memory(error, label, "a file") : status;
    }
    *shards = *shard;
    return ga_weights_join(label, shards, 1, weights_out, error);
}

enum ga_status ga_weights_open_with(const char *path, const struct ga_weights_options *options,
                                    struct ga_weights **weights_out, struct ga_error *error)
{
    if (path == NULL || weights_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_open: %s is NULL", path == NULL ? "path" : "weights_out");
    }
    *weights_out = NULL;
    struct ga_weights_options full;
    enum ga_status status = ga_weights_options_fill(options, &full, error);
    if (status != GA_OK) {
        return status;
    }
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return ga_weights_fail_errno(error, GA_FAULT_OPEN, path, "open");
    }
    struct ga_weights_shard shard = {0};
    status = ga_weights_shard_open(fd, path, &full, &shard, error);
    return weights_of_shard(path, &shard, status, weights_out, error);
}

enum ga_status ga_weights_open(const char *path, struct ga_weights **weights_out, struct ga_error *error)
{
    return ga_weights_open_with(path, NULL, weights_out, error);
}

enum ga_status ga_weights_parse_with(const void *bytes, size_t size, const char *label,
                                     const struct ga_weights_options *options, struct ga_weights **weights_out,
                                     struct ga_error *error)
{
    if (bytes == NULL || label == NULL || weights_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_parse: %s is NULL",
                       bytes == NULL   ? "bytes"
                       : label == NULL ? "label"
                                       : "weights_out");
    }
    *weights_out = NULL;
    struct ga_weights_source source = {.fd = -1, .at = bytes, .size = size, .label = label, .error = error};
    enum ga_status status = ga_weights_options_fill(options, &source.options, error);
    if (status != GA_OK) {
        return status;
    }
    struct ga_weights_shard shard = {0};
    status = ga_weights_shard_read(&source, &shard);
    return weights_of_shard(label, &shard, status, weights_out, error);
}

enum ga_status ga_weights_parse(const void *bytes, size_t size, const char *label, struct ga_weights **weights_out,
                                struct ga_error *error)
{
    return ga_weights_parse_with(bytes, size, label, NULL, weights_out, error);
}

// -- Joining and closing --------------------------------------------------------------------------------------------

static int compare_entries(const void *left, const void *right)
{
    const struct ga_safetensors_entry *a = left;
    const struct ga_safetensors_entry *b = right;
    return strcmp(a->tensor.name, b->tensor.name);
}

// Moves the entries of shards from the first-th on to the sorted list; their names stay with the shards.
static bool join_entries(struct ga_weights *weights, size_t first)
{
    size_t count = weights->count;
    for (size_t i = first; i < weights->n_shards; i++) {
        count += weights->shards[i].table.count;
    }
    struct ga_safetensors_entry *entries = realloc(weights->entries, (count + 1) * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    weights->entries = entries;
    for (size_t i = first; i < weights->n_shards; i++) {
        struct ga_safetensors *table = &weights->shards[i].table;
        for (size_t j = 0; j < table->count; j++) {
            entries[weights->count] = table->entries[j];
            entries[weights->count++].shard = i;
        }
        free(table->entries);
        table->entries = NULL;
        table->count = 0;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    return true;
}

// Refuses a tensor of a shard that the weights have already.
static enum ga_status check_names(const struct ga_weights *weights, const struct ga_weights_shard *shard,
                                  struct ga_error *error)
{
    for (size_t i = 0; i < shard->table.count; i++) {
        const char *name = shard->table.entries[i].tensor.name;
        if (ga_weights_find(weights, name) != NULL) {
            char shown[GA_NAME_TEXT];
            return ga_fail_at(error, GA_FORMAT, GA_FAULT_SHARD_TENSOR_TWICE, GA_NO_OFFSET,
                              "%s: tensor '%s' is in %s too; expected it in one file", shard->label,
                              ga_name_text(name, shown, sizeof shown), ga_weights_label(weights));
        }
    }
    return GA_OK;
}

enum ga_status ga_weights_add_shard(struct ga_weights *weights, const struct ga_weights_shard *shard,
                                    struct ga_error *error)
{
    const enum ga_status status = check_names(weights, shard, error);
    if (status != GA_OK) {
        return status;
    }
    struct ga_weights_shard *shards = realloc(weights->shards, (weights->n_shards + 1) * sizeof *shards);
    if (shards == NULL) {
        return ga_weights_fail_memory(error, shard->label, "a table of its tensors");
    }
    weights->shards = shards;
    shards[weights->n_shards++] = *shard;
    if (!join_entries(weights, weights->n_shards - 1)) {
        weights->n_shards--;
        return ga_weights_fail_memory(error, shard->label, "a table of its tensors");
    }
    return GA_OK;
}

enum ga_status ga_weights_join(const char *label, struct ga_weights_shard *shards, size_t n_shards,
                               struct ga_weights **weights_out, struct ga_error *error)
{
    struct ga_weights *weights = calloc(1, sizeof *weights);
    if (weights == NULL) {
        for (size_t i = 0; i < n_shards; i++) {
            ga_weights_shard_free(&shards[i]);
        }
        free(shards);
        return ga_weights_fail_memory(error, label, "a handle");
    }
    weights->shards = shards;
    weights->n_shards = n_shards;
    weights->label = ga_weights_copy_text(label);
    if (weights->label == NULL || !join_entries(weights, 0)) {
        ga_weights_close(weights);
        return ga_weights_fail_memory(error, label, "a table of its tensors");
    }
    *weights_out = weights;
    return GA_OK;
}

void ga_weights_close(struct ga_weights *weights)
{
    if (weights == NULL) {
        return;
    }
    for (size_t i = 0; i < weights->count; i++) {
        ga_block_free(weights->floats != NULL ? weights->floats[i] : NULL);
        ga_block_free(weights->by_head != NULL ? weights->by_head[i] : NULL);
    }
    for (size_t i = 0; i < weights->n_shards; i++) {
        ga_weights_shard_free(&weights->shards[i]);
    }
    free(weights->floats);
    free(weights->by_head);
    free(weights->shards);
    free(weights->entries);
    free(weights->label);
    free(weights);
}

// -- Looking --------------------------------------------------------------------------------------------------------

const char *ga_weights_label(const struct ga_weights *weights)
{
    return weights == NULL ? "?" : weights->label;
}

size_t ga_weights_count(const struct ga_weights *weights)
{
    return weights == NULL ? 0 : weights->count;
}

const struct ga_tensor *ga_weights_at(const struct ga_weights *weights, size_t i)
{
    return i < ga_weights_count(weights) ? &weights->entries[i].tensor : NULL;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const struct ga_safetensors_entry *)entry)->tensor.name);
}

const struct ga_tensor *ga_weights_find(const struct ga_weights *weights, const char *name)
{
    if (weights == NULL || name == NULL) {
        return NULL;
    }
    const struct ga_safetensors_entry *found =
        bsearch(name, weights->entries, weights->count, sizeof *found, compare_name);
    return found == NULL ? NULL : &found->tensor;
}

// By its address alone, as the tensor may be anybody's; tensors are their entries' first members.
bool ga_weights_has(const struct ga_weights *weights, const struct ga_tensor *tensor, size_t *i_out)
{
    const uintptr_t first = weights == NULL ? 0 : (uintptr_t)weights->entries, at = (uintptr_t)tensor;
    const size_t stride = sizeof *weights->entries;
    const bool is_there = tensor != NULL && at >= first && (at - first) / stride < ga_weights_count(weights);
    *i_out = is_there ? (at - first) / stride : 0;
    return is_there && (at - first) % stride == 0;
}

const char *ga_weights_place(const struct ga_weights *weights, const struct ga_tensor *tensor, uint64_t *offset_out)
{
    size_t i = 0;
    if (offset_out == NULL || !ga_weights_has(weights, tensor, &i)) {
        return NULL;
    }
    const struct ga_safetensors_entry *entry = &weights->entries[i];
    const struct ga_weights_shard *shard = &weights->shards[entry->shard];
    *offset_out = (uint64_t)shard->data_start + entry->begin;
    return shard->label;
}
