// tensor.h: a tensor as its element type, shape and pointer. It owns nothing and never reads the elements.
#ifndef GA_TENSOR_H
#define GA_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// One row per element type: the end of its enumerator, its safetensors name, its width in bytes.
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

// One row per block type; only GGUF files have them: the end of its enumerator, its name, the bytes of a block and the
// elements of a block. A row of such a tensor is a whole number of blocks.
#define GA_BLOCK_LIST(X)      \
    X(Q4_0, "Q4_0", 18, 32)   \
    X(Q4_1, "Q4_1", 20, 32)   \
    X(Q8_0, "Q8_0", 34, 32)   \
    X(Q4_K, "Q4_K", 144, 256) \
    X(Q6_K, "Q6_K", 210, 256) \
    X(Q5_0, "Q5_0", 22, 32)   \
    X(Q5_1, "Q5_1", 24, 32)   \
    X(Q2_K, "Q2_K", 84, 256)  \
    X(Q3_K, "Q3_K", 110, 256) \
    X(Q5_K, "Q5_K", 176, 256) \
    X(IQ4_NL, "IQ4_NL", 18, 32)

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
    const char *name;          // NUL-terminated; owned by the maker of the view; may be NULL
    enum ga_dtype dtype;       //
    size_t rank;               // 0 (a scalar) .. GA_MAX_RANK
    size_t shape[GA_MAX_RANK]; // the first `rank` entries are used; outermost axis first
    const void *data;          // aligned to the element's width (blocks: 1 byte); NULL if there are no elements
};

// The type's name in a safetensors header ("F32"), or "?" for a number that is not a type.
const char *ga_dtype_name(enum ga_dtype dtype);

// Width of one element in bytes; 0 for a block type and for a number that is not a type.
size_t ga_dtype_size(enum ga_dtype dtype);

// The elements of a block (1 if it is not a block type), and its bytes in *bytes_out, which may be NULL. Both are 0 for
// a number that is not a type.
size_t ga_dtype_block(enum ga_dtype dtype, size_t *bytes_out);

// If a pointer is NULL, the calls below return false and write nothing.

// The type that has this name in safetensors. For any other name, and for a block type, it returns false and does not
// write dtype_out.
bool ga_dtype_parse(const char *name, enum ga_dtype *dtype_out);

// The product of the shape. False if it does not fit a size_t, even if an axis of 0 would hide that.
bool ga_shape_elements(size_t rank, const size_t *shape, size_t *elements_out);

// Bytes of the tensor's elements, checked as above. Also false for a number that is not a type, for a rank that is too
// high, and for rows of a block type that are not whole blocks.
bool ga_tensor_bytes(const struct ga_tensor *tensor, size_t *bytes_out);

// True if the rank, which must be at most GA_MAX_RANK, and every axis are equal.
bool ga_tensor_has_shape(const struct ga_tensor *tensor, size_t rank, const size_t *shape);

// Writes a shape as "[10, 20, 512]" to text (size bytes, truncated to fit, always NUL-terminated) and returns text. If
// text is NULL, nothing is written; a shape of NULL has no axes.
char *ga_shape_text(size_t rank, const size_t *shape, char *text, size_t size);

// Writes a tensor's name for a message to text and returns text. Bytes that are not printable ASCII become \xNN, so
// that a file cannot control a terminal. A name that does not fit ends in "..." (size bytes, NUL-terminated if size >
// 0). For a name of NULL it writes "?".
char *ga_name_text(const char *name, char *text, size_t size);

enum { GA_NAME_TEXT = 80, GA_SHAPE_TEXT = 192 }; // sizes for `text` above; any shape fits GA_SHAPE_TEXT

#ifdef __cplusplus
}
#endif
#endif
