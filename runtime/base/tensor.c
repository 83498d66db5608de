// tensor.c: element types by name and width, shapes as checked products and as text; never touches an element.
#include "tensor.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes; // of a block
    size_t elements;
} dtypes[] = {
#define GA_DTYPE_ROW(name, text, bytes) [GA_##name] = {text, bytes, 1},
#define GA_BLOCK_ROW(name, text, bytes, elements) [GA_##name] = {text, bytes, elements},
    GA_DTYPE_LIST(GA_DTYPE_ROW) GA_BLOCK_LIST(GA_BLOCK_ROW)
#undef GA_BLOCK_ROW
#undef GA_DTYPE_ROW
};

enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

const char *ga_dtype_name(enum ga_dtype dtype)
{
    return (size_t)dtype < N_DTYPES ? dtypes[dtype].name : "?";
}

size_t ga_dtype_size(enum ga_dtype dtype)
{
    size_t bytes = 0;
    return ga_dtype_block(dtype, &bytes) == 1 ? bytes : 0;
}

size_t ga_dtype_block(enum ga_dtype dtype, size_t *bytes_out)
{
    const bool is_type = (size_t)dtype < N_DTYPES;
    if (bytes_out != NULL) {
        *bytes_out = is_type ? dtypes[dtype].bytes : 0;
    }
    return is_type ? dtypes[dtype].elements : 0;
}

bool ga_dtype_parse(const char *name, enum ga_dtype *dtype_out)
{
    for (size_t i = 0; name != NULL && dtype_out != NULL && i < N_DTYPES; i++) {
        if (dtypes[i].elements == 1 && strcmp(name, dtypes[i].name) == 0) {
            *dtype_out = (enum ga_dtype)i;
            return true;
        }
    }
    return false;
}

// width * shape[0] * ..., where a zero axis makes the product zero only after the other axes were found to fit.
static bool checked_product(size_t width, size_t rank, const size_t *shape, size_t *product_out)
{
    size_t product = width;
    bool empty = false;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] == 0) {
            empty = true;
        } else if (product > SIZE_MAX / shape[i]) {
            return false;
        } else {
            product *= shape[i];
        }
    }
    *product_out = empty ? 0 : product;
    return true;
}

bool ga_shape_elements(size_t rank, const size_t *shape, size_t *elements_out)
{
    return (shape != NULL || rank == 0) && elements_out != NULL && checked_product(1, rank, shape, elements_out);
}

bool ga_tensor_bytes(const struct ga_tensor *tensor, size_t *bytes_out)
{
    size_t bytes = 0, shape[GA_MAX_RANK];
    const size_t elements = tensor == NULL || bytes_out == NULL ? 0 : ga_dtype_block(tensor->dtype, &bytes);
    if (elements == 0 || tensor->rank > GA_MAX_RANK) {
        return false;
    }
    memcpy(shape, tensor->shape, sizeof shape);
    if (elements > 1) {
        if (tensor->rank == 0 || shape[tensor->rank - 1] % elements != 0) {
            return false;
        }
        shape[tensor->rank - 1] /= elements;
    }
    return checked_product(bytes, tensor->rank, shape, bytes_out);
}

bool ga_tensor_has_shape(const struct ga_tensor *tensor, size_t rank, const size_t *shape)
{
    const bool is_there = tensor != NULL && (shape != NULL || rank == 0) && rank <= GA_MAX_RANK;
    return is_there && tensor->rank == rank && (rank == 0 || memcmp(tensor->shape, shape, rank * sizeof *shape) == 0);
}

// Appends printf-formatted text at *used and moves it on, never past the end of text.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
append(char *text, size_t size, size_t *used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text + *used, size - *used, format, arguments);
    va_end(arguments);
    const size_t room = size - *used - 1;
    *used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room;
}

char *ga_shape_text(size_t rank, const size_t *shape, char *text, size_t size)
{
    if (size == 0 || text == NULL) {
        return text;
    }
    size_t used = 0;
    append(text, size, &used, "[");
    for (size_t i = 0; shape != NULL && i < rank; i++) {
        append(text, size, &used, i == 0 ? "%zu" : ", %zu", shape[i]);
    }
    append(text, size, &used, "]");
    return text;
}

char *ga_name_text(const char *name, char *text, size_t size)
{
    static const char more[] = "...";
    if (text == NULL || size < sizeof more) {
        return text == NULL || size == 0 ? text : memset(text, 0, size);
    }
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)(name == NULL ? "?" : name); *c != '\0'; c++) {
        char one[5];
        const bool plain = *c >= 0x20 && *c < 0x7F;
        const size_t length = (size_t)snprintf(one, sizeof one, plain ? "%c" : "\\x%02x", *c);
        if (used + length + sizeof more > size) {
            memcpy(text + used, more, sizeof more);
            return text;
        }
        memcpy(text + used, one, length);
        used += length;
    }
    text[used] = '\0';
    return text;
}
