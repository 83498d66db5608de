// weights_modules.c: finds the modules of a folder, reads their files and puts the modules' names before those of their
// tensors. Reads no modules.json: which linears a model has is its spec's.
#define _POSIX_C_SOURCE 200809L

#include "weights_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 16 }; // bytes of a module's name and a dot

// Puts prefix before the name of each tensor of a shard. False: no memory.
static bool rename_tensors(struct ga_safetensors *table, const char *prefix)
{
    const size_t length = strlen(prefix);
    size_t size = 1;
    for (size_t i = 0; i < table->count; i++) {
        size += length + strlen(table->entries[i].tensor.name) + 1;
    }
    char *names = malloc(size), *at = names;
    for (size_t i = 0; names != NULL && i < table->count; i++) {
        struct ga_tensor *tensor = &table->entries[i].tensor;
        const int written = snprintf(at, size - (size_t)(at - names), "%s%s", prefix, tensor->name);
        tensor->name = at;
        at += written + 1;
    }
    if (names != NULL) {
        free(table->names);
        table->names = names;
    }
    return names != NULL;
}

// Adds the tensors of the file at path, which is open on fd, with prefix before their names.
static enum ga_status add_module(int fd, const char *path, const char *prefix, const struct ga_weights_options *options,
                                 struct ga_weights *weights, struct ga_error *error)
{
    struct ga_weights_shard shard = {0};
    enum ga_status status = ga_weights_shard_open(fd, path, options, &shard, error);
    if (status == GA_OK && !rename_tensors(&shard.table, prefix)) {
        status = ga_weights_fail_memory(error, path, "names of tensors");
    }
    status = status == GA_OK ? ga_weights_add_shard(weights, &shard, error) : status;
    if (status != GA_OK) {
        ga_weights_shard_free(&shard);
    }
    return status;
}

// The file of module n, where there is one.
static enum ga_status look_for(const char *folder, size_t n, const struct ga_weights_options *options,
                               struct ga_weights *weights, struct ga_error *error)
{
    const size_t size = strlen(folder) + sizeof "/9_Dense/model.safetensors";
    char prefix[PREFIX], *path = malloc(size);
    if (path == NULL) {
        return ga_weights_fail_memory(error, folder, "a path");
    }
    const unsigned digit = (unsigned)(n % 10); // their numbers have one digit, and compilers see that so has this
    (void)snprintf(prefix, sizeof prefix, "%u_Dense.", digit);
    (void)snprintf(path, size, "%s/%u_Dense/model.safetensors", folder, digit);
    enum ga_status status = GA_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        status = add_module(fd, path, prefix, options, weights, error);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        status = ga_weights_fail_errno(error, GA_FAULT_OPEN, path, "open");
    }
    free(path);
    return status;
}

enum ga_status ga_weights_add_modules(const char *folder, const struct ga_weights_options *options,
                                      struct ga_weights *weights, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    for (size_t n = GA_WEIGHTS_FIRST_MODULE; n <= GA_WEIGHTS_LAST_MODULE && status == GA_OK; n++) {
        status = look_for(folder, n, options, weights, error);
    }
    return status;
}
