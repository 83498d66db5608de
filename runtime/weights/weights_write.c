// weights_write.c: writes tensors as a safetensors file that is whole or not there. What it writes, weights.c reads.
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "atomic_file.h"
#include "safetensors.h"
#include "weights.h"

// One file being written.
struct writing {
    const char *path;
    const struct ga_tensor **tensors; // [count], in file order
    size_t count;
    char *header; // padded; NULL until made
    size_t header_size;
    struct ga_error *error;
};

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
    if (ga_dtype_block(tensor->dtype, NULL) > 1) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s' is %s; expected a type that safetensors have", w->path,
                       name, ga_dtype_name(tensor->dtype));
    }
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

// Bytes of the UTF-8 sequence that starts at `at`, 0 where none does: jansson answers a name that is none as it answers
// a lack of memory.
static size_t utf8_bytes(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, least, most; // of the first byte, and of the second
        size_t bytes;
    } forms[] = {
        {0x01, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] >= forms[i].first && at[0] <= forms[i].last && at[1] >= forms[i].least && at[1] <= forms[i].most) {
            size_t seen = forms[i].bytes < 2 ? 1 : 2;
            while (seen < forms[i].bytes && (at[seen] & 0xC0) == 0x80) {
                seen++;
            }
            return seen == forms[i].bytes ? seen : 0;
        }
    }
    return 0;
}

static bool is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = 1;
    while (*at != '\0' && bytes > 0) {
        bytes = utf8_bytes(at);
        at += bytes;
    }
    return bytes > 0;
}

// NULL where there is no memory.
static json_t *shape_json(const struct ga_tensor *tensor)
{
    json_t *shape = json_array();
    for (size_t i = 0; i < tensor->rank && shape != NULL; i++) {
        if (json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i])) != 0) {
            json_decref(shape);
            shape = NULL;
        }
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
    if (!is_utf8(tensor->name)) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: tensor '%s': the name is not UTF-8", w->path,
                       ga_name_text(tensor->name, name, sizeof name));
    }
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", ga_dtype_name(tensor->dtype), "shape",
                              shape_json(tensor), "data_offsets", (json_int_t)*end, (json_int_t)(*end + bytes));
    if (entry == NULL) {
        return fail_memory(w);
    }
    *end += bytes;
    return json_object_set_new(root, tensor->name, entry) == 0 ? GA_OK : fail_memory(w);
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
    if (w->header_size > GA_WEIGHTS_HEADER_MAX) {
        return ga_fail(w->error, GA_ARGUMENT, "%s: the header would take %zu bytes; expected at most %d", w->path,
                       w->header_size, GA_WEIGHTS_HEADER_MAX);
    }
    struct ga_safetensors table;
    const enum ga_status status =
        ga_safetensors_read(w->header, w->header_size, data_size, NULL, w->path, &table, w->error);
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

static bool put_content(const struct writing *w, const struct ga_atomic_file *file)
{
    unsigned char prefix[GA_SAFETENSORS_PREFIX];
    for (size_t i = 0; i < sizeof prefix; i++) {
        prefix[i] = (unsigned char)((uint64_t)w->header_size >> (8 * i));
    }
    bool good = ga_atomic_file_put(file, prefix, sizeof prefix) && ga_atomic_file_put(file, w->header, w->header_size);
    for (size_t i = 0; i < w->count && good; i++) {
        size_t bytes = 0;
        good = ga_tensor_bytes(w->tensors[i], &bytes) && ga_atomic_file_put(file, w->tensors[i]->data, bytes);
    }
    return good;
}

static enum ga_status write_file(struct writing *w)
{
    struct ga_atomic_file file;
    const enum ga_status status = ga_atomic_file_new(w->path, &file, w->error);
    return status == GA_OK ? ga_atomic_file_end(&file, put_content(w, &file), w->error) : status;
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
    struct writing w = {.path = path, .count = count, .error = error};
    enum ga_status status = order_tensors(&w, tensors);
    if (status == GA_OK) {
        status = make_header(&w);
    }
    if (status == GA_OK) {
        status = write_file(&w);
    }
    free(w.tensors);
    free(w.header);
    return status;
}
