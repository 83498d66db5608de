// weights_splits.c: opens the GGUF files of a model after the first one, by its name, and holds what each says of
// itself against what the first says. How the tensors of several files become one list is weights.c's.
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE // O_NOFOLLOW on macOS

#include "weights_splits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 99999, END = 64 }; // files that five digits count; room for "-00001-of-00003.gguf"

// The end of the name of part `no`, from 1 on, in end[END].
static const char *end_of(char *end, size_t no, size_t count)
{
    (void)snprintf(end, END, "-%05zu-of-%05zu.gguf", no, count);
    return end;
}

static enum ga_status check_first(const char *path, const struct ga_gguf_split *split, struct ga_error *error)
{
    char end[END];
    const unsigned long long no = split->no, count = split->count;
    if (count > MOST_FILES || no >= count) {
        return ga_fail_at(error, GA_FORMAT, GA_FAULT_GGUF_SPLIT, GA_NO_OFFSET,
                          "%s: split.no is %llu and split.count %llu; expected a number below a count of at most %d",
                          path, no, count, MOST_FILES);
    }
    end_of(end, 1, (size_t)count);
    if (no > 0) {
        return ga_fail_at(error, GA_FORMAT, GA_FAULT_GGUF_SPLIT, GA_NO_OFFSET,
                          "%s: part %llu of a model in %llu files; expected the first, whose name ends in %s", path,
                          no + 1, count, end);
    }
    const size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0
               ? GA_OK
               : ga_fail_at(
                     error, GA_FORMAT, GA_FAULT_GGUF_SPLIT, GA_NO_OFFSET,
                     "%s: the first of %llu files; expected a name that ends in %s, from which follow the others", path,
                     count, end);
}

// Part i, from 0 on, of the model of the first one.
static enum ga_status check_part(const struct ga_weights_shard *part, const struct ga_gguf_split *first, size_t i,
                                 struct ga_error *error)
{
    const struct ga_gguf_split *split = &part->split;
    return split->no == i && split->count == first->count && split->tensors == first->tensors
               ? GA_OK
               : ga_fail_at(error, GA_FORMAT, GA_FAULT_GGUF_SPLIT, GA_NO_OFFSET,
                            "%s: part %llu of %llu, of a model of %llu tensors; expected part %zu of %llu, of %llu "
                            "tensors, as the first file says",
                            part->label, (unsigned long long)split->no + 1, (unsigned long long)split->count,
                            (unsigned long long)split->tensors, i + 1, (unsigned long long)first->count,
                            (unsigned long long)first->tensors);
}

static enum ga_status fail_open(const char *path, int why, struct ga_error *error)
{
    if (why == ELOOP) {
        return ga_fail_at(error, GA_IO, GA_FAULT_SHARD_LINK, GA_NO_OFFSET,
                          "%s: a symbolic link; expected a file: copy the folder with cp -L", path);
    }
    if (why == ENOENT) {
        return ga_fail_at(error, GA_IO, GA_FAULT_SHARD_MISSING, GA_NO_OFFSET,
                          "%s: a part of the model is missing; expected it in the folder of the first file", path);
    }
    errno = why;
    return ga_weights_fail_errno(error, GA_FAULT_OPEN, path, "open");
}

static enum ga_status add_part(const char *path, size_t i, const struct ga_weights_options *options,
                               struct ga_weights *weights, struct ga_error *error)
{
    struct ga_weights_shard part = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) {
        return fail_open(path, errno, error);
    }
    enum ga_status status = ga_weights_shard_open(fd, path, options, &part, error);
    status = status == GA_OK ? check_part(&part, &weights->shards[0].split, i, error) : status;
    status = status == GA_OK ? ga_weights_add_shard(weights, &part, error) : status;
    if (status != GA_OK) {
        ga_weights_shard_free(&part);
    }
    return status;
}

// The files after the first, whose path is given with room to write in.
static enum ga_status add_parts(char *path, const struct ga_weights_options *options, struct ga_weights *weights,
                                struct ga_error *error)
{
    const struct ga_gguf_split split = weights->shards[0].split;
    char end[END];
    const size_t count = (size_t)split.count, start = strlen(path) - strlen(end_of(end, 1, count));
    enum ga_status status = GA_OK;
    for (size_t i = 1; i < count && status == GA_OK; i++) {
        memcpy(path + start, end_of(end, i + 1, count), strlen(end));
        status = add_part(path, i, options, weights, error);
    }
    return status != GA_OK || weights->count == split.tensors
               ? status
               : ga_fail_at(error, GA_FORMAT, GA_FAULT_SHARD_TOTAL, GA_NO_OFFSET,
                            "%s: %zu tensors in %zu files; expected %llu, as split.tensors.count says", weights->label,
                            weights->count, count, (unsigned long long)split.tensors);
}

enum ga_status ga_weights_add_splits(const char *path, const struct ga_weights_options *options,
                                     struct ga_weights *weights, struct ga_error *error)
{
    const struct ga_gguf_split *split = &weights->shards[0].split;
    enum ga_status status = split->count > 1 ? check_first(path, split, error) : GA_OK;
    if (status != GA_OK || split->count <= 1) {
        return status;
    }
    char *name = ga_weights_copy_text(path);
    status = name != NULL ? add_parts(name, options, weights, error)
                          : ga_weights_fail_memory(error, path, "the name of a part");
    free(name);
    return status;
}
