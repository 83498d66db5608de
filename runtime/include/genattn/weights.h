// weights.h: reads safetensors and GGUF files as views, after it has checked them, and writes safetensors so that an
// incomplete file never has the final name. It knows no model. It is the only part of the runtime that needs jansson.
#ifndef GA_WEIGHTS_H
#define GA_WEIGHTS_H

#include "status.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_weights; // an open file whose header, offsets, shapes and sizes are valid

enum {
    GA_WEIGHTS_HEADER_MAX = 16 * 1048576, // the largest header in bytes, if the options do not give one
    GA_WEIGHTS_HEADER_LARGEST = 100000000 // the largest number that they can give: the limit of the reference
};

// How a file is read; all zero is the default, and the strictest. New fields are added at its end.
struct ga_weights_options {
    size_t header_max; // the largest header or index, in bytes; 0: GA_WEIGHTS_HEADER_MAX
    // Copies nothing. A file is mapped; bytes given to ga_weights_parse_with are used in place and must not change
    // until ga_weights_close. If another process truncates a mapped file, reading it raises SIGBUS; if it overwrites
    // the file, the tensors change. Without in_place neither can happen. If the header's length makes a tensor
    // misaligned, or if the file cannot be mapped, it is copied anyway.
    bool in_place;
    bool
        allow_leading_blank; // blanks before the header's '{': the reference reads them, its specification forbids them
    bool allow_unknown_fields; // fields of a tensor other than dtype, shape and data_offsets; they are ignored
};

// Reads a whole regular file and checks it. It accepts a strict subset of what the reference implementation accepts;
// safetensors.h has the rules. A file that begins with "GGUF" is read as a GGUF file, by the rules in gguf.h: its
// tensors keep their names and types, block types included, and their shapes have the innermost dimension last.
//
// On GA_OK *weights_out owns a copy of the bytes until ga_weights_close. On failure it is NULL, and error (may be NULL)
// has the fault's number and says which tensor, at which byte, what was found and what was expected.
//
// It allocates memory only after it has found the file as large as its header says: at most 8 KiB, the size of the
// data, and 32 bytes for each byte of the header. No header or index takes more than 192 MiB and 8 bytes for each of
// its bytes: one with more values than a file can use (safetensors_header.h) is refused before they are read.
enum ga_status ga_weights_open(const char *path, struct ga_weights **weights_out, struct ga_error *error);

// The same with options, which may be NULL.
enum ga_status ga_weights_open_with(const char *path, const struct ga_weights_options *options,
                                    struct ga_weights **weights_out, struct ga_error *error);

// The same for the weights of a saved model: a safetensors file; an index, whose name ends in ".index.json"; or a
// folder with model.safetensors or else model.safetensors.index.json. The shards that an index names must be regular
// files in its folder, not links. Each tensor must be in one shard, the one that the index gives; no tensor may be only
// in the index or only in a shard. If the index gives the total of their bytes, it must be correct. If a GGUF file says
// that it is the first of several, NAME-00001-of-0000N.gguf, the others open with it. They are regular files in its
// folder; each must say that it is the part of its name, and together they must have as many tensors as they say. If a
// folder has dense linears of sentence-transformers, <n>_Dense/model.safetensors for n from 1 to 9, their tensors are
// there too, with the folder's name and a dot before theirs.
enum ga_status ga_weights_open_model(const char *path, const struct ga_weights_options *options,
                                     struct ga_weights **weights_out, struct ga_error *error);

// ga_weights_open for bytes in memory; messages have label instead of the path. The bytes are copied unless options say
// in_place.
enum ga_status ga_weights_parse(const void *bytes, size_t size, const char *label, struct ga_weights **weights_out,
                                struct ga_error *error);
enum ga_status ga_weights_parse_with(const void *bytes, size_t size, const char *label,
                                     const struct ga_weights_options *options, struct ga_weights **weights_out,
                                     struct ga_error *error);

// Frees what open or parse made; its tensor views become invalid. NULL is allowed.
void ga_weights_close(struct ga_weights *weights);

// The label or path given at open, for messages; "?" if weights is NULL.
const char *ga_weights_label(const struct ga_weights *weights);

// The tensors, sorted by name. count: 0 if weights is NULL. at: NULL if i >= count. find: NULL if no tensor has that
// name, or name is NULL.
size_t ga_weights_count(const struct ga_weights *weights);
const struct ga_tensor *ga_weights_at(const struct ga_weights *weights, size_t i);
const struct ga_tensor *ga_weights_find(const struct ga_weights *weights, const char *name);

// The path of the file that contains a tensor, which must come from ga_weights_at or ga_weights_find of these weights.
// The offset of its first byte goes to *offset_out. For any other tensor, and if offset_out is NULL, the result is NULL
// and nothing is written.
const char *ga_weights_place(const struct ga_weights *weights, const struct ga_tensor *tensor, uint64_t *offset_out);

// Whether ga_weights_floats can convert a tensor: its type is F64, F32, F16, BF16 or a block type. False for NULL.
bool ga_weights_are_floats(const struct ga_tensor *tensor);

// The elements of a tensor of these weights as floats, which the weights own until ga_weights_close. F32 is not copied.
// The first call for a tensor of any other type makes a copy of 4 bytes an element. F16 and BF16 convert exactly. F64
// is rounded to the nearest float, ties to even, subnormals included; a number that is too large becomes infinite.
// Blocks give the same bits as the Python package gguf. Two threads must not call this at the same time. GA_DTYPE: the
// type is not one that ga_weights_are_floats accepts. GA_ARGUMENT: the tensor does not belong to these weights, or is a
// copy.
enum ga_status ga_weights_floats(struct ga_weights *weights, const struct ga_tensor *tensor, const float **floats_out,
                                 struct ga_error *error);

// Writes count tensors, each with a unique name, to path: to a temporary file in the same folder, which is flushed and
// then renamed to path. In the file, tensors are sorted by element width, the widest first, then by name, so that each
// is aligned to its element; the data begin at a multiple of 8. If ga_weights_open would refuse the result, this call
// refuses it before it makes a file.
enum ga_status ga_weights_write(const char *path, const struct ga_tensor *tensors, size_t count,
                                struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
