// malformed_gguf.h: ways in which GGUF files can be bad, as files: what each must be refused with; and one that is
// sound.
#ifndef GA_TESTS_MALFORMED_GGUF_H
#define GA_TESTS_MALFORMED_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

// One bad file: a header, and where data_size is not 0 zeros up to a multiple of 32, then so many bytes 0, 1, 2 ...
struct malformed_gguf {
    const char *name;   // words joined by _, unique
    const char *header; // [header_size]
    size_t header_size;
    size_t data_size;
    enum ga_fault fault;
    bool in_data;       // `offset` counts from where the data begin
    uint64_t offset;    // the byte at which it must be refused
    const char *tensor; // what the message must name; NULL: none
    const char *says;   // what it must say: what was found and what was expected
};

extern const struct malformed_gguf malformed_ggufs[];
extern const size_t n_malformed_ggufs;

// A sound file: a [2] of F32, 1 and -2; b [1, 32] of Q8_0, 1, -2 and then zeros; c [2, 1] of F16, 1 and -2.
extern const struct malformed_gguf sound_gguf;

// The file's bytes, in a block of exactly that size, which the caller frees.
unsigned char *malformed_gguf_bytes(const struct malformed_gguf *row, size_t *size_out);

#endif
