// embedder.h: a model with its weights and its tokenizer, opened from files: text in, one vector out. Knows no SQL.
#ifndef GA_SQLITE_EMBEDDER_H
#define GA_SQLITE_EMBEDDER_H

#include <stddef.h>

#include "model.h"

// Weights, tokenizer, work space. For one thread at a time, as a connection of SQLite is.
struct ga_sqlite_embedder;

// Opens weights (a .gap file, a safetensors file, an index of shards, or a folder of these) and the tokenizer.json at
// `tokenizer`, where that is NULL the one in the .gap file, or else in the folder of the weights. GA_OK and
// *embedder_out, which the caller closes; or the status of what failed, after an entry in error: among them
// GA_UNSUPPORTED for a model that gives no vector of a text, and for a tokenizer.json in the folder of the weights that
// is another than the model's spec records.
enum ga_status ga_sqlite_embedder_open(const struct ga_model *model, const char *weights, const char *tokenizer,
                                       struct ga_sqlite_embedder **embedder_out, struct ga_error *error);

// NULL is allowed.
void ga_sqlite_embedder_close(struct ga_sqlite_embedder *embedder);

// The instruction set that the weights are packed for; the embedder's.
const char *ga_sqlite_embedder_isa(const struct ga_sqlite_embedder *embedder);

// The vector of text[length] (UTF-8; what is not counts as U+FFFD), cut at the longest sequence that the model takes:
// vector_out has room for d_model floats. GA_MEMORY, GA_FORMAT, ... after an entry in error.
enum ga_status ga_sqlite_embed(struct ga_sqlite_embedder *embedder, const char *text, size_t length, float *vector_out,
                               struct ga_error *error);

#endif
