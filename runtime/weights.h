// weights.h: safetensors files, read as views that were checked before any pointer was made, and written so that a
// half-written file never has the final name. Knows no model; the one part of the runtime that needs jansson.
#ifndef GA_WEIGHTS_H
#define GA_WEIGHTS_H

#include "status.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_weights; // an open file whose header, offsets, shapes and sizes were all found sound

// Reads a whole regular file and checks it: a strict subset of what the reference implementation takes, spelt out in
// safetensors.h. On GA_OK *weights_out owns a copy of the bytes until ga_weights_close; on failure it is NULL and error
// (may be NULL) says which tensor, what was found and what was expected.
enum ga_status ga_weights_open(const char *path, struct ga_weights **weights_out, struct ga_error *error);

// The same from memory; label stands for the path in messages. The bytes are copied.
enum ga_status ga_weights_parse(const void *bytes, size_t size, const char *label, struct ga_weights **weights_out,
                                struct ga_error *error);

// Frees what open or parse made; every tensor view of it ends here. NULL is allowed.
void ga_weights_close(struct ga_weights *weights);

// The label or path given at open, for messages.
const char *ga_weights_label(const struct ga_weights *weights);

// Tensors, sorted by name. at: i < count. find: NULL where there is none of that name.
size_t ga_weights_count(const struct ga_weights *weights);
const struct ga_tensor *ga_weights_at(const struct ga_weights *weights, size_t i);
const struct ga_tensor *ga_weights_find(const struct ga_weights *weights, const char *name);

// Writes count tensors (each with a unique name) to path: a temporary file beside it, flushed, then renamed over it.
// In the file wider elements come first, then names in order, so that every tensor is aligned to its element; data
// begin at a multiple of 8. Whatever ga_weights_open would refuse is refused before a file is made.
enum ga_status ga_weights_write(const char *path, const struct ga_tensor *tensors, size_t count,
                                struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
