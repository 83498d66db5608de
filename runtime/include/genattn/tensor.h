// tensor.h: what a tensor is, element type, shape and pointer; owns nothing and never touches the elements.
#ifndef GA_TENSOR_H
#define GA_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// One row per element type: enumerator's tail, its safetensors name, its width in bytes.
#define GA_DTYPE_LIST(X) \
    X(BOOL, "BOOL", 1)   \
    X(U8, "U8", 1)       \
    X(I8, "I8", 1)       \
    X(U16, "U16", 2)     \
    X(I16, "I16", 2)     \
    X(F16, "F16", 2)     \
    X(BF16, "BF16", 2)   \
    X(U32, "U32", 4)     \
    X(I32, "I32", 4)     \
    X(F32, "F32", 4)     \
    X(U64, "U64", 8)     \
    X(I64, "I64", 8)     \
    X(F64, "F64", 8)

// One row per type of blocks, which GGUF files have and safetensors do not: enumerator's tail, its name, the bytes of a
// block and how many elements share them. Rows of such a tensor are whole blocks.
#define GA_BLOCK_LIST(X)      \
    X(Q4_0, "Q4_0", 18, 32)   \
    X(Q4_1, "Q4_1", 20, 32)   \
    X(Q8_0, "Q8_0", 34, 32)   \
    X(Q4_K, "Q4_K", 144, 256) \
    X(Q6_K, "Q6_K", 210, 256)

enum ga_dtype {
#define GA_DTYPE_ENUM(name, text, bytes) GA_##name,
#define GA_BLOCK_ENUM(name, text, bytes, elements) GA_##name,
    GA_DTYPE_LIST(GA_DTYPE_ENUM) GA_BLOCK_LIST(GA_BLOCK_ENUM)
#undef GA_BLOCK_ENUM
#undef GA_DTYPE_ENUM
};

enum { GA_MAX_RANK = 8 };

// A view of dense row-major elements.
struct ga_tensor {
    const char *name;          // NUL-terminated; owned by whoever made the view; may be NULL
    enum ga_dtype dtype;       //
    size_t rank;               // 0 (a scalar) .. GA_MAX_RANK
    size_t shape[GA_MAX_RANK]; // first `rank` entries count; outermost first
    const void *data;          // aligned to the element's width, blocks to 1; NULL where there are no elements
};

// The type's name as in a safetensors header ("F32"), or "?" for a number that is no type.
const char *ga_dtype_name(enum ga_dtype dtype);

// Width of one element in bytes, 0 for a type of blocks and for a number that is no type.
size_t ga_dtype_size(enum ga_dtype dtype);

// How many elements lie together, 1 but in a type of blocks, and in how many bytes (bytes_out may be NULL); 0 of both
// for a number that is no type.
size_t ga_dtype_block(enum ga_dtype dtype, size_t *bytes_out);

// In the calls below a pointer that is NULL gives false, and nothing is written.

// The type a safetensors name stands for; false (dtype_out untouched) for any other name, also that of a type of
// blocks.
bool ga_dtype_parse(const char *name, enum ga_dtype *dtype_out);

// Product of the shape, checked; false where it does not fit a size_t even if a zero axis would hide it.
bool ga_shape_elements(size_t rank, const size_t *shape, size_t *elements_out);

// Bytes of the tensor's elements, checked as above; false also for a number that is no type, a rank too high and, with
// a type of blocks, rows that are not whole blocks.
bool ga_tensor_bytes(const struct ga_tensor *tensor, size_t *bytes_out);

// True where rank, of at most GA_MAX_RANK, and every axis agree.
bool ga_tensor_has_shape(const struct ga_tensor *tensor, size_t rank, const size_t *shape);

// Writes a shape as "[10, 20, 512]" into text (size bytes, always NUL-terminated, cut to fit); returns text. Of a
// text of NULL nothing is written, and a shape of NULL has no axes.
char *ga_shape_text(size_t rank, const size_t *shape, char *text, size_t size);

// Writes a tensor's name for a message: bytes that are not printable ASCII as \xNN, so that no file can steer a
// terminal; cut with "..." to fit text (size bytes, always NUL-terminated where size > 0); returns text. A
// name of NULL is "?".
char *ga_name_text(const char *name, char *text, size_t size);

enum { GA_NAME_TEXT = 80, GA_SHAPE_TEXT = 192 }; // sizes for `text` above; a shape is never cut at this one

#ifdef __cplusplus
}
#endif
#endif
