// weights_index.h: model.safetensors.index.json, read into the list of shards it names. Opens no shard. Internal to the
// weights library.
#ifndef GA_WEIGHTS_INDEX_H
#define GA_WEIGHTS_INDEX_H

#include <jansson.h>

#include "weights_json.h"
#include "weights_shard.h"

enum { GA_WEIGHTS_MAX_SHARDS = 4096, GA_WEIGHTS_SHARD_NAME = 200 }; // shards of an index; bytes of one's name

struct ga_weights_index {
    const char *path;
    char *bytes;          // the file's, [text.size]
    struct ga_text text;  // the same
    json_t *root;         // an object
    json_t *weight_map;   // in root: each tensor's shard, a checked name of a file in the folder of the index
    const char **tensors; // [n_shards], a tensor of each shard, for messages
    const char **shards;  // [n_shards], sorted, each once; in root
    size_t n_shards;
    struct ga_error *error; // may be NULL
};

// Reads and checks the index `fd` is open on, and closes fd. On failure what it holds so far is to be freed all the
// same.
enum ga_status ga_weights_index_read(int fd, const struct ga_weights_options *options, struct ga_weights_index *index);

void ga_weights_index_free(struct ga_weights_index *index);

// The byte of the index at which the tensor's shard stands.
uint64_t ga_weights_index_place(const struct ga_weights_index *index, const char *tensor);

// Refuses what the index says of a tensor, printf-formatted; returns status.
enum ga_status ga_weights_index_refuse(const struct ga_weights_index *index, enum ga_status status, enum ga_fault fault,
                                       const char *tensor, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

#endif
