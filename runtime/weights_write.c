// weights_write.c: writes tensors as a safetensors file that is whole or not there. What it writes, weights.c reads.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "safetensors.h"
#include "weights.h"

// One file being written.
struct writing {
    const char *path;
    const struct ga_tensor **tensors; // [count], in file order
    size_t count;
    char *header; // padded; NULL until made
    size_t header_size;
    char *temporary; // name of the file beside path, NULL until made
    int fd;          // of that file, or -1
    struct ga_error *error;
};

static enum ga_status fail_errno(const struct writing *w, const char *what)
{
    char why[128];
    return ga_fail(w->error, GA_IO, "%s: cannot %s: %s", w->path, what,
                   strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

static enum ga_status fail_memory(const struct writing *w)
{
    return ga_fail(w->error, GA_MEMORY, "%s: no memory to write %zu tensors", w->path, w->count);
}

// -- Order ----------------------------------------------------------------------------------------------------------

static enum ga_status check_tensor(const struct writing *w, size_t i, const struct ga_tensor *tensor)
{
    if (tensor->name == NULL) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor %zu of %zu has no name", w->path, i, w->count);
    }
    char name[GA_NAME_TEXT];
    ga_name_text(tensor->name, name, sizeof name);
    if (ga_dtype_size(tensor->dtype) == 0) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s': dtype %d is none of enum ga_dtype", w->path, name,
                       (int)tensor->dtype);
    }
    if (tensor->rank > GA_MAX_RANK) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s': rank %zu; expected at most %d", w->path, name,
                       tensor->rank, GA_MAX_RANK);
    }
    size_t bytes = 0;
    if (!ga_tensor_bytes(tensor, &bytes)) {
        return ga_fail(w->error, GA_OVERFLOW, "%s: tensor '%s': its size does not fit in memory", w->path, name);
    }
    if (bytes > 0 && tensor->data == NULL) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s': data is NULL; expected %zu bytes", w->path, name,
                       bytes);
    }
    return GA_OK;
}

// Wide elements first: with no holes allowed between tensors, that alone aligns each of them to its element.
static int compare_for_file(const void *left, const void *right)
{
    const struct ga_tensor *a = *(const struct ga_tensor *const *)left;
    const struct ga_tensor *b = *(const struct ga_tensor *const *)right;
    const size_t a_width = ga_dtype_size(a->dtype);
    const size_t b_width = ga_dtype_size(b->dtype);
    return a_width != b_width ? (a_width < b_width) - (a_width > b_width) : strcmp(a->name, b->name);
}

static enum ga_status order_tensors(struct writing *w, const struct ga_tensor *tensors)
{
    w->tensors = calloc(w->count + 1, sizeof *w->tensors);
    if (w->tensors == NULL) {
        return fail_memory(w);
    }
    for (size_t i = 0; i < w->count; i++) {
        const enum ga_status status = check_tensor(w, i, &tensors[i]);
        if (status != GA_OK) {
            return status;
        }
        w->tensors[i] = &tensors[i];
    }
    qsort(w->tensors, w->count, sizeof *w->tensors, compare_for_file);
    return GA_OK;
}

// -- Header ---------------------------------------------------------------------------------------------------------

static json_t *shape_json(const struct ga_tensor *tensor)
{
    json_t *shape = json_array();
    for (size_t i = 0; i < tensor->rank; i++) {
        json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i]));
    }
    return shape;
}

static enum ga_status add_entry(const struct writing *w, json_t *root, const struct ga_tensor *tensor, size_t *end)
{
    char name[GA_NAME_TEXT];
    size_t bytes = 0;
    if (json_object_get(root, tensor->name) != NULL) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: two tensors are named '%s'", w->path,
                       ga_name_text(tensor->name, name, sizeof name));
    }
    if (!ga_tensor_bytes(tensor, &bytes) || bytes > (size_t)INT64_MAX - *end) {
        return ga_fail(w->error, GA_OVERFLOW, "%s: the tensors together are too large for one file", w->path);
    }
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", ga_dtype_name(tensor->dtype), "shape",
                              shape_json(tensor), "data_offsets", (json_int_t)*end, (json_int_t)(*end + bytes));
    if (entry == NULL) {
        return fail_memory(w);
    }
    *end += bytes;
    return json_object_set_new(root, tensor->name, entry) == 0
               ? GA_OK
               : ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s': the name is not UTF-8", w->path,
                         ga_name_text(tensor->name, name, sizeof name));
}

// Writes root as text, padded with spaces so that the data begin at a multiple of 8.
static bool dump_header(struct writing *w, const json_t *root)
{
    const size_t length = json_dumpb(root, NULL, 0, JSON_COMPACT);
    w->header_size = (length + 7) / 8 * 8;
    w->header = length == 0 ? NULL : malloc(w->header_size);
    if (w->header == NULL || json_dumpb(root, w->header, length, JSON_COMPACT) != length) {
        return false;
    }
    memset(w->header + length, ' ', w->header_size - length);
    return true;
}

// Reads the header back, so that nothing is written that would be refused: names, limits, all of it in one place.
static enum ga_status prove_header(const struct writing *w, size_t data_size)
{
    if (w->header_size > GA_SAFETENSORS_MAX_HEADER) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: the header would take %zu bytes; expected at most %d", w->path,
                       w->header_size, GA_SAFETENSORS_MAX_HEADER);
    }
    struct ga_safetensors table;
    const enum ga_status status = ga_safetensors_read(w->header, w->header_size, data_size, w->path, &table, w->error);
    ga_safetensors_free(&table);
    return status;
}

static enum ga_status make_header(struct writing *w)
{
    size_t end = 0;
    enum ga_status status = GA_OK;
    json_t *root = json_object();
    for (size_t i = 0; root != NULL && i < w->count && status == GA_OK; i++) {
        status = add_entry(w, root, w->tensors[i], &end);
    }
    if (status == GA_OK && (root == NULL || !dump_header(w, root))) {
        status = fail_memory(w);
    }
    json_decref(root);
    return status == GA_OK ? prove_header(w, end) : status;
}

// -- File -----------------------------------------------------------------------------------------------------------

// Makes a file beside path that no one else has, with the permissions path would have got.
static enum ga_status open_temporary(struct writing *w)
{
    enum { TRIES = 100, SUFFIX = 40 };
    const size_t size = strlen(w->path) + SUFFIX;
    w->temporary = malloc(size);
    if (w->temporary == NULL) {
        return fail_memory(w);
    }
    for (int i = 0; i < TRIES && w->fd < 0; i++) {
        (void)snprintf(w->temporary, size, "%s.%ld-%d.tmp", w->path, (long)getpid(), i);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (w->fd < 0 && errno != EEXIST) {
            break;
        }
    }
    return w->fd < 0 ? fail_errno(w, "make a temporary file beside it") : GA_OK;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    enum { MAX_WRITE = 1 << 30 };
    const unsigned char *at = bytes;
    while (size > 0) {
        const ssize_t done = write(fd, at, size < MAX_WRITE ? size : MAX_WRITE);
        if (done == 0) {
            errno = EIO;
        }
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        at += done < 0 ? 0 : done;
        size -= done < 0 ? 0 : (size_t)done;
    }
    return true;
}

static bool write_content(const struct writing *w)
{
    unsigned char prefix[GA_SAFETENSORS_PREFIX];
    for (size_t i = 0; i < sizeof prefix; i++) {
        prefix[i] = (unsigned char)((uint64_t)w->header_size >> (8 * i));
    }
    bool good = write_all(w->fd, prefix, sizeof prefix) && write_all(w->fd, w->header, w->header_size);
    for (size_t i = 0; i < w->count && good; i++) {
        size_t bytes = 0;
        good = ga_tensor_bytes(w->tensors[i], &bytes) && write_all(w->fd, w->tensors[i]->data, bytes);
    }
    return good;
}

// Makes the rename itself last through a crash. A folder that cannot be flushed takes nothing from the file's content.
static void flush_folder(const struct writing *w)
{
    const char *slash = strrchr(w->path, '/');
    char *folder = w->temporary; // renamed by now, so its room is free, and longer than path
    const size_t length = slash == NULL ? 0 : (size_t)(slash - w->path) + 1;
    memcpy(folder, length == 0 ? "." : w->path, length == 0 ? 1 : length);
    folder[length == 0 ? 1 : length] = '\0';
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

static enum ga_status write_file(struct writing *w)
{
    enum ga_status status = open_temporary(w);
    if (status != GA_OK) {
        return status;
    }
    if (!write_content(w) || fsync(w->fd) != 0) {
        status = fail_errno(w, "write");
    }
    if (close(w->fd) != 0 && status == GA_OK) {
        status = fail_errno(w, "write");
    }
    if (status == GA_OK && rename(w->temporary, w->path) != 0) {
        status = fail_errno(w, "rename the finished file to this name");
    }
    if (status != GA_OK) {
        (void)unlink(w->temporary);
        return status;
    }
    flush_folder(w);
    return GA_OK;
}

enum ga_status ga_weights_write(const char *path, const struct ga_tensor *tensors, size_t count, struct ga_error *error)
{
    if (path == NULL || (tensors == NULL && count > 0)) {
        return ga_fail(error, GA_ARGUMENT, "ga_weights_write: %s is NULL", path == NULL ? "path" : "tensors");
    }
    if (count > GA_SAFETENSORS_MAX_TENSORS) {
        return ga_fail(error, GA_ARGUMENT, "%s: %zu tensors; expected at most %d", path, count,
                       GA_SAFETENSORS_MAX_TENSORS);
    }
    struct writing w = {.path = path, .count = count, .fd = -1, .error = error};
    enum ga_status status = order_tensors(&w, tensors);
    if (status == GA_OK) {
        status = make_header(&w);
    }
    if (status == GA_OK) {
        status = write_file(&w);
    }
    free(w.tensors);
    free(w.header);
    free(w.temporary);
    return status;
}
