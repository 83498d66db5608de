// gguf_tokenizer.h: the tokenizer of a GGUF file as the tokenizer.json that says the same, which the rest of the
// library reads. Internal to libga_text.
#ifndef GA_TEXT_GGUF_TOKENIZER_H
#define GA_TEXT_GGUF_TOKENIZER_H

#include "gguf_metadata.h"

// Reads an open GGUF file, which has not been read from; *bytes_out[*length_out] is the JSON, which the caller frees.
// GA_OK, or after an entry in error GA_FORMAT (a kind of tokenizer or a pre-tokenizer that is not known is refused by
// name), GA_IO or GA_MEMORY. name stands for the file in messages.
enum ga_status ga_text_gguf_tokenizer(int fd, const char *name, char **bytes_out, size_t *length_out,
                                      struct ga_error *error);

// Whether the file at a path, a regular one, is a GGUF file with a tokenizer of a kind that is read.
bool ga_text_gguf_has_tokenizer(const char *path);

#endif
