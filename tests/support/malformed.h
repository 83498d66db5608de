// malformed.h: the fifty ways in which weights can be bad, as files: what each must be refused with. Tests refuse them
// one by one, fuzzing begins from them.
#ifndef GA_TESTS_MALFORMED_H
#define GA_TESTS_MALFORMED_H

#include <stddef.h>
#include <stdint.h>

#include "load.h"

// One bad file. Either all of its bytes are there (raw), or a header's text after which come data_size bytes.
struct malformed {
    int number;       // of the fifty, 1 .. 46; the others are about several files or the machine
    const char *name; // words joined by _, unique
    const char *raw;  // [raw_size]
    size_t raw_size;
    const char *header; // [header_size]; its length is put before it
    size_t header_size;
    size_t data_size;
    const char *data;            // [data_size]; NULL: bytes 0, 1, 2, ...
    size_t n_tensors;            // in place of a header: one of so many tensors without elements
    size_t name_length;          // in place of a header: one of a tensor whose name is so long
    size_t header_max;           // the limit it is read with; 0: the default
    struct ga_load_options load; // number > 42: the file is sound, and malformed_model refuses it under these
    enum ga_status status;
    enum ga_fault fault;
    bool in_data;       // the fault's offset is `offset` bytes into the data
    const char *at;     // the fault's offset is that of this piece of the header; NULL: `offset` is
    uint64_t offset;    // in the file
    const char *tensor; // what the message must name; NULL: none
    const char *says;   // what it must say: what was found and what was expected
};

// Number 47: an index that is bad, or does not fit the shards in its folder. Those are one.safetensors and
// two.safetensors, of a tensor a and a tensor b of two floats each, but for what `shards` says.
enum malformed_shards {
    SHARDS_SOUND,
    SHARD_IS_MISSING,
    SHARD_IS_LINK,
    SHARD_IS_FOLDER,
    SHARD_HAS_BOTH,
    SHARD_HAS_MORE
};

struct malformed_index {
    const char *name;
    const char *text;             // of the index
    enum malformed_shards shards; // what is wrong with two.safetensors
    enum ga_status status;
    enum ga_fault fault;
    const char *at; // the fault's offset is that of this piece of the text; NULL: `offset` is
    uint64_t offset;
    const char *says; // what the message must say, from the path on
};

extern const struct malformed_index malformed_indices[];
extern const size_t n_malformed_indices;

// A model of one map of one tensor, w.weight [2, 3], that does without its bias.
extern const struct ga_model malformed_model;

extern const struct malformed malformed_rows[];
extern const size_t n_malformed_rows;

// The file's bytes, in a block of exactly that size, which the caller frees.
unsigned char *malformed_bytes(const struct malformed *row, size_t *size_out);

// The byte of the file at which it must be refused.
uint64_t malformed_offset(const struct malformed *row);

#endif
