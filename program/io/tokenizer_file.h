// tokenizer_file.h: the bytes of a tokenizer.json, from a file that was named, from packed weights, or from the folder
// of the weights. Knows none of its fields.
#ifndef GA_TOKENIZER_FILE_H
#define GA_TOKENIZER_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "diagnostics.h"

enum { GA_TOKENIZER_LABEL = 4200 }; // bytes of a path, and a few words

// Zeroed memory is none.
struct ga_tokenizer_file {
    char *bytes; // [size], NULL: there is none
    size_t size;
    char label[GA_TOKENIZER_LABEL]; // for messages
    bool is_insisted;               // somebody chose it by name: that it is another model's is worth a word, no more
};

// Reads the file at `path`; where that is NULL, the tokenizer in the packed weights at `weights`, or else the
// tokenizer.json beside them. GA_EXIT_FAILED after a message where it cannot be read; GA_EXIT_USAGE where neither is
// given. The caller frees it, also then.
enum ga_exit ga_tokenizer_file_read(const struct ga_context *context, const char *path, const char *weights,
                                    struct ga_tokenizer_file *file_out);

// Whether there is a regular file tokenizer.json in the folder of the weights.
bool ga_tokenizer_is_beside(const char *weights);

void ga_tokenizer_file_free(struct ga_tokenizer_file *file);

#endif
