// weights.c: opens safetensors: bytes in, checked tensors out. Reads whole regular files into memory of its own, so
// that nothing changes underneath once it was checked; knows no model.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "weights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "safetensors.h"

struct ga_weights {
    struct ga_safetensors table;
    unsigned char *data; // GA_ALIGN-aligned, so that offsets aligned for a type make aligned pointers
    char *label;
};

static enum ga_status fail_errno(struct ga_error *error, const char *path, const char *what)
{
    char why[128];
    return ga_fail(error, GA_IO, "%s: cannot %s: %s", path, what,
                   strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

// -- Where bytes come from ------------------------------------------------------------------------------------------

struct source {
    int fd;                  // read where `at` is NULL
    const unsigned char *at; // the next byte in memory
    size_t size;             // bytes in all
    const char *label;
    struct ga_error *error;
};

enum { MAX_READ = 1 << 30 }; // bytes asked of the system at a time

static enum ga_status read_file(const struct source *source, unsigned char *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const size_t left = size - done;
        const ssize_t got = read(source->fd, to + done, left < MAX_READ ? left : MAX_READ);
        if (got == 0) {
            return ga_fail(source->error, GA_IO, "%s: the file ends %zu bytes early; it shrank while it was read",
                           source->label, left);
        }
        if (got < 0 && errno != EINTR) {
            return fail_errno(source->error, source->label, "read");
        }
        done += got < 0 ? 0 : (size_t)got;
    }
    return GA_OK;
}

static enum ga_status read_next(struct source *source, void *to, size_t size)
{
    if (source->at == NULL) {
        return read_file(source, to, size);
    }
    memcpy(to, source->at, size);
    source->at += size;
    return GA_OK;
}

// -- Reading --------------------------------------------------------------------------------------------------------

// Reads the header's length; on GA_OK it lies within the file and under the cap.
static enum ga_status read_prefix(struct source *source, size_t *header_size_out)
{
    unsigned char prefix[GA_SAFETENSORS_PREFIX];
    if (source->size < sizeof prefix) {
        return ga_fail(source->error, GA_FORMAT, "%s: %zu bytes long; expected a safetensors file, at least %zu bytes",
                       source->label, source->size, sizeof prefix + 2);
    }
    const enum ga_status status = read_next(source, prefix, sizeof prefix);
    if (status != GA_OK) {
        return status;
    }
    uint64_t length = 0;
    for (size_t i = sizeof prefix; i-- > 0;) {
        length = length << 8 | prefix[i];
    }
    const uint64_t room = source->size - sizeof prefix;
    const uint64_t most = room < GA_SAFETENSORS_MAX_HEADER ? room : GA_SAFETENSORS_MAX_HEADER;
    if (length == 0 || length > most) {
        return ga_fail(source->error, GA_FORMAT,
                       "%s: byte 0 announces a header of %llu bytes; expected 1..%llu in a file of %zu bytes: not a "
                       "safetensors file, or a damaged one",
                       source->label, (unsigned long long)length, (unsigned long long)most, source->size);
    }
    *header_size_out = (size_t)length;
    return GA_OK;
}

static enum ga_status read_header(struct source *source, size_t *data_size_out, struct ga_safetensors *table_out)
{
    size_t size = 0;
    enum ga_status status = read_prefix(source, &size);
    if (status != GA_OK) {
        return status;
    }
    char *header = malloc(size);
    if (header == NULL) {
        return ga_fail(source->error, GA_MEMORY, "%s: no memory for a header of %zu bytes", source->label, size);
    }
    status = read_next(source, header, size);
    if (status == GA_OK) {
        *data_size_out = source->size - GA_SAFETENSORS_PREFIX - size;
        status = ga_safetensors_read(header, size, *data_size_out, source->label, table_out, source->error);
    }
    free(header);
    return status;
}

// Reads the data and points the tensors, whose offsets were found to lie within, into them.
static enum ga_status read_data(struct source *source, size_t size, struct ga_weights *weights)
{
    weights->data = ga_block_room(size);
    if (weights->data == NULL) {
        return ga_fail(source->error, GA_MEMORY, "%s: no memory for %zu bytes of tensors", source->label, size);
    }
    for (size_t i = 0; i < weights->table.count; i++) {
        struct ga_safetensors_entry *entry = &weights->table.entries[i];
        entry->tensor.data = entry->bytes == 0 ? NULL : weights->data + entry->begin;
    }
    return read_next(source, weights->data, size);
}

static bool host_is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

static enum ga_status read_weights(struct source *source, struct ga_weights *weights)
{
    size_t data_size = 0;
    if (!host_is_little_endian()) {
        return ga_fail(source->error, GA_UNSUPPORTED, "%s: safetensors are little-endian and this machine is not",
                       source->label);
    }
    weights->label = malloc(strlen(source->label) + 1);
    if (weights->label == NULL) {
        return ga_fail(source->error, GA_MEMORY, "%s: no memory for its name", source->label);
    }
    strcpy(weights->label, source->label);
    const enum ga_status status = read_header(source, &data_size, &weights->table);
    return status == GA_OK ? read_data(source, data_size, weights) : status;
}

static enum ga_status weights_from(struct source *source, struct ga_weights **weights_out)
{
    struct ga_weights *weights = calloc(1, sizeof *weights);
    if (weights == NULL) {
        return ga_fail(source->error, GA_MEMORY, "%s: no memory", source->label);
    }
    const enum ga_status status = read_weights(source, weights);
    if (status != GA_OK) {
        ga_weights_close(weights);
        return status;
    }
    *weights_out = weights;
    return GA_OK;
}

// -- Outside --------------------------------------------------------------------------------------------------------

static enum ga_status weights_from_file(int fd, const char *path, struct ga_weights **weights_out,
                                        struct ga_error *error)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0) {
        return fail_errno(error, path, "look at the file");
    }
    if (!S_ISREG(facts.st_mode)) {
        return ga_fail(error, GA_IO, "%s: %s; expected a regular file", path,
                       S_ISDIR(facts.st_mode) ? "a directory" : "a pipe or device");
    }
    if ((uintmax_t)facts.st_size > SIZE_MAX) {
        return ga_fail(error, GA_OVERFLOW, "%s: larger than this machine's memory can be", path);
    }
    struct source source = {.fd = fd, .size = (size_t)facts.st_size, .label = path, .error = error};
    return weights_from(&source, weights_out);
}

enum ga_status ga_weights_open(const char *path, struct ga_weights **weights_out, struct ga_error *error)
{
    if (path == NULL || weights_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_open: %s is NULL", path == NULL ? "path" : "weights_out");
    }
    *weights_out = NULL;
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return fail_errno(error, path, "open");
    }
    const enum ga_status status = weights_from_file(fd, path, weights_out, error);
    (void)close(fd);
    return status;
}

enum ga_status ga_weights_parse(const void *bytes, size_t size, const char *label, struct ga_weights **weights_out,
                                struct ga_error *error)
{
    if (bytes == NULL || label == NULL || weights_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_parse: %s is NULL",
                       bytes == NULL   ? "bytes"
                       : label == NULL ? "label"
                                       : "weights_out");
    }
    *weights_out = NULL;
    struct source source = {.fd = -1, .at = bytes, .size = size, .label = label, .error = error};
    return weights_from(&source, weights_out);
}

void ga_weights_close(struct ga_weights *weights)
{
    if (weights != NULL) {
        ga_safetensors_free(&weights->table);
        ga_block_free(weights->data);
        free(weights->label);
        free(weights);
    }
}

const char *ga_weights_label(const struct ga_weights *weights)
{
    return weights->label;
}

size_t ga_weights_count(const struct ga_weights *weights)
{
    return weights->table.count;
}

const struct ga_tensor *ga_weights_at(const struct ga_weights *weights, size_t i)
{
    return &weights->table.entries[i].tensor;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const struct ga_safetensors_entry *)entry)->tensor.name);
}

const struct ga_tensor *ga_weights_find(const struct ga_weights *weights, const char *name)
{
    const struct ga_safetensors_entry *found =
        bsearch(name, weights->table.entries, weights->table.count, sizeof *found, compare_name);
    return found == NULL ? NULL : &found->tensor;
}
