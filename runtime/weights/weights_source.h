// weights_source.h: where the bytes of a file of weights come from, a file that was opened or memory, and what to say
// when the machine refuses. Internal to the weights library.
#ifndef GA_WEIGHTS_SOURCE_H
#define GA_WEIGHTS_SOURCE_H

#include "weights.h"

// Where a shard's bytes come from: a file that was just opened, or memory.
struct ga_weights_source {
    int fd;                  // read where `at` is NULL
    const unsigned char *at; // the next byte in memory
    size_t size;             // bytes in all
    const char *label;
    struct ga_weights_options options;
    struct ga_error *error;
};

// The source of a file that `fd` is open on, once it is found to be a regular file of a size that can be.
enum ga_status ga_weights_source_of(int fd, const char *path, const struct ga_weights_options *options,
                                    struct ga_weights_source *source_out, struct ga_error *error);

// Reads the next `size` bytes, which are those from byte `from` on, of a source that has so many left.
enum ga_status ga_weights_source_read(struct ga_weights_source *source, uint64_t from, void *to, size_t size);

// "cannot do WHAT: REASON" with errno's reason; returns GA_IO.
enum ga_status ga_weights_fail_errno(struct ga_error *error, enum ga_fault fault, const char *path, const char *what);

// "no memory for WHAT"; returns GA_MEMORY.
enum ga_status ga_weights_fail_memory(struct ga_error *error, const char *path, const char *what);

// A copy of a text, to be freed, or NULL.
char *ga_weights_copy_text(const char *text);

#endif
