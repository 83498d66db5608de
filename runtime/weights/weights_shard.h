// weights_shard.h: one file of weights in memory, of the one or the several that an open handle has. Internal to the
// weights library.
#ifndef GA_WEIGHTS_SHARD_H
#define GA_WEIGHTS_SHARD_H

#include "gguf_reader.h"
#include "safetensors.h"
#include "weights.h"
#include "weights_source.h"

struct ga_weights_shard {
    char *label;                 // its path, for messages
    struct ga_safetensors table; // its tensors, pointing into the bytes below
    size_t data_start;           // byte of the file at which the data begin
    unsigned char *owned;        // a copy of the data, to be freed, or NULL
    void *mapped;                // [mapped_size], the whole file, to be unmapped, or NULL
    size_t mapped_size;
    struct ga_gguf_split split; // of a GGUF file, zeros of any other
};

// An open handle: the tensors of all shards, sorted by name.
struct ga_weights {
    char *label;
    struct ga_weights_shard *shards; // [n_shards]
    size_t n_shards;
    struct ga_safetensors_entry *entries; // [count]
    size_t count;
    float **floats;  // [count], copies that were asked for; NULL before the first
    float **by_head; // [count], the same of weights_by_head.h
};

// The options with their defaults in place; options may be NULL. GA_ARGUMENT where they cannot be.
enum ga_status ga_weights_options_fill(const struct ga_weights_options *options, struct ga_weights_options *full_out,
                                       struct ga_error *error);

// Reads the header of a GGUF file, whose first GA_SAFETENSORS_PREFIX bytes were read from the source, and leaves the
// source where the data begin.
enum ga_status ga_weights_gguf_read(struct ga_weights_source *source, const unsigned char *prefix,
                                    struct ga_weights_shard *shard);

// Reads a shard. On failure what it holds so far is to be freed all the same.
enum ga_status ga_weights_shard_read(struct ga_weights_source *source, struct ga_weights_shard *shard);

// Reads a shard from the file `fd` is open on, once it is found to be a regular file; closes fd.
enum ga_status ga_weights_shard_open(int fd, const char *path, const struct ga_weights_options *options,
                                     struct ga_weights_shard *shard, struct ga_error *error);

void ga_weights_shard_free(struct ga_weights_shard *shard);

// GA_OK where the host is little-endian, as safetensors are: `one` is how it stores the number 1 in two bytes.
enum ga_status ga_weights_check_host(const unsigned char *one, const char *label, struct ga_error *error);

// Makes weights of shards that were read, and which it takes over.
enum ga_status ga_weights_join(const char *label, struct ga_weights_shard *shards, size_t n_shards,
                               struct ga_weights **weights_out, struct ga_error *error);

// Adds one more shard, which the weights take over, before any tensor was asked for. On failure, as if they have a
// tensor of one of its names already, it stays the caller's.
enum ga_status ga_weights_add_shard(struct ga_weights *weights, const struct ga_weights_shard *shard,
                                    struct ga_error *error);

// Whether a tensor is one of these weights, found by its address; the first i_out of them come before it.
bool ga_weights_has(const struct ga_weights *weights, const struct ga_tensor *tensor, size_t *i_out);

#endif
