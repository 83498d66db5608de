// weights.h: safetensors and GGUF files, read as views that were checked before any pointer was made, and safetensors
// written so that a half-written file never has the final name. Knows no model; the one part of the runtime that needs
// jansson.
#ifndef GA_WEIGHTS_H
#define GA_WEIGHTS_H

#include "status.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_weights; // an open file whose header, offsets, shapes and sizes were all found sound

enum {
    GA_WEIGHTS_HEADER_MAX = 16 * 1048576, // bytes a header may have where the options do not say
    GA_WEIGHTS_HEADER_LARGEST = 100000000 // and the most they may say, which is the reference's own limit
};

// How a file is read; all zero is the default, and the strictest. Grows at its end.
struct ga_weights_options {
    size_t header_max; // bytes a header, or an index, may have; 0: GA_WEIGHTS_HEADER_MAX
    // Copies nothing: a file is mapped, and bytes given to ga_weights_parse_with stay where they are and must stay as
    // they are until ga_weights_close. Reading a mapped file that someone has cut short raises SIGBUS, and overwriting
    // it changes its tensors; without this neither can happen. Where the header's length leaves a tensor misaligned, or
    // the file cannot be mapped, it is copied all the same.
    bool in_place;
    bool allow_leading_blank; // blanks before the header's '{', which the reference reads and its specification forbids
    bool allow_unknown_fields; // fields of a tensor besides dtype, shape and data_offsets, which are not read
};

// Reads a whole regular file and checks it: a strict subset of what the reference implementation takes, spelt out in
// safetensors.h. A file that begins with "GGUF" is read as one, by the rules in gguf.h: its tensors have the names and
// types that they have there, blocks among them, and their shapes with the innermost dimension last. On GA_OK
// *weights_out owns a copy of the bytes until ga_weights_close; on failure it is NULL and error (may be NULL) says
// which tensor, at which byte, what was found and what was expected, and has the fault's number. Memory is asked for
// only once the file is found to be as large as it says: at most 8 KiB, the data's size, and 32 bytes for each byte of
// the header; and for any header, or index, no more than 192 MiB and 8 bytes for each of its own, as one that holds
// more values than a file has use for (safetensors_header.h) is refused before they are read.
enum ga_status ga_weights_open(const char *path, struct ga_weights **weights_out, struct ga_error *error);

// The same with options, which may be NULL.
enum ga_status ga_weights_open_with(const char *path, const struct ga_weights_options *options,
                                    struct ga_weights **weights_out, struct ga_error *error);

// The same from what a model's weights are saved as: a safetensors file; an index, whose name ends in ".index.json",
// beside the shards it names; or a folder with model.safetensors or, failing that, model.safetensors.index.json. Shards
// are regular files beside the index, never links. Each tensor must be in one shard, the one the index says, none may
// be in the index or in a shard alone, and where the index says how many bytes they have together, they must have so
// many.
enum ga_status ga_weights_open_model(const char *path, const struct ga_weights_options *options,
                                     struct ga_weights **weights_out, struct ga_error *error);

// ga_weights_open from memory; label stands for the path in messages. The bytes are copied but where options say
// in_place.
enum ga_status ga_weights_parse(const void *bytes, size_t size, const char *label, struct ga_weights **weights_out,
                                struct ga_error *error);
enum ga_status ga_weights_parse_with(const void *bytes, size_t size, const char *label,
                                     const struct ga_weights_options *options, struct ga_weights **weights_out,
                                     struct ga_error *error);

// Frees what open or parse made; every tensor view of it ends here. NULL is allowed.
void ga_weights_close(struct ga_weights *weights);

// The label or path given at open, for messages; "?" where weights is NULL.
const char *ga_weights_label(const struct ga_weights *weights);

// Tensors, sorted by name. count: 0 where weights is NULL. at: NULL where i >= count. find: NULL where there is none of
// that name, or name is NULL.
size_t ga_weights_count(const struct ga_weights *weights);
const struct ga_tensor *ga_weights_at(const struct ga_weights *weights, size_t i);
const struct ga_tensor *ga_weights_find(const struct ga_weights *weights, const char *name);

// The path of the file that holds a tensor of these weights, one that ga_weights_at or ga_weights_find gave; its first
// byte there goes to *offset_out. NULL, and nothing written, for any other tensor and where offset_out is NULL.
const char *ga_weights_place(const struct ga_weights *weights, const struct ga_tensor *tensor, uint64_t *offset_out);

// Whether a tensor's elements can be had as floats: it is F64, F32, F16, BF16 or of a type of blocks; false for NULL.
bool ga_weights_are_floats(const struct ga_tensor *tensor);

// The elements of a tensor of these weights as floats, which belong to them until ga_weights_close. F32 stays where it
// is; of any other type a copy is made when it is first asked for, 4 bytes an element. F16 and BF16 fit exactly. F64 is
// rounded to the nearest float, ties to even, subnormal ones included; what is too large becomes infinite. Blocks give
// the bits that the Python package gguf decodes them to. Not to be called by two threads at a time. GA_DTYPE for what
// ga_weights_are_floats denies, GA_ARGUMENT for a tensor that is none of these weights, also a copy of one.
enum ga_status ga_weights_floats(struct ga_weights *weights, const struct ga_tensor *tensor, const float **floats_out,
                                 struct ga_error *error);

// Writes count tensors (each with a unique name) to path: a temporary file beside it, flushed, then renamed over it.
// In the file wider elements come first, then names in order, so that every tensor is aligned to its element; data
// begin at a multiple of 8. Whatever ga_weights_open would refuse is refused before a file is made.
enum ga_status ga_weights_write(const char *path, const struct ga_tensor *tensors, size_t count,
                                struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
