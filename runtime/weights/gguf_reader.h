// gguf_reader.h: the bytes of a GGUF file's header, taken one value at a time and never past the end; what is refused
// says where. Knows no tensor. Internal to the weights library.
#ifndef GA_GGUF_READER_H
#define GA_GGUF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

// The first bytes of a file, as many as were read yet, and how far they were understood.
struct ga_gguf_reader {
    const unsigned char *bytes; // [size]
    size_t size, file_size;
    size_t at;     // of the next value
    size_t needed; // how many bytes a value goes to that `size` bytes do not hold and the file does; 0: none did
    const char *label;
    struct ga_error *error; // may be NULL
};

// A text in the header, without a NUL at its end.
struct ga_gguf_text {
    const char *text; // [length]
    size_t length;
    size_t at; // its byte of the file
};

// What a header says of its file as one of several: it is number split.no, from 0 on, of split.count files, which have
// split.tensors.count tensors together. Zeros where it does not say so.
struct ga_gguf_split {
    uint64_t no, count, tensors;
};

// Each of these is false where the value is not all there: either more bytes are `needed`, or the file ends and that
// was refused. what: the value, for the message.
bool ga_gguf_skip(struct ga_gguf_reader *reader, uint64_t bytes, const char *what);
bool ga_gguf_u32(struct ga_gguf_reader *reader, const char *what, uint32_t *value_out);
bool ga_gguf_u64(struct ga_gguf_reader *reader, const char *what, uint64_t *value_out);
bool ga_gguf_text(struct ga_gguf_reader *reader, const char *what, struct ga_gguf_text *text_out);

// The version and how many tensors and keys there are; false also where that is refused.
bool ga_gguf_counts(struct ga_gguf_reader *reader, uint64_t *tensors_out, uint64_t *keys_out);

// Goes over `keys` keys and their values, and finds to what multiple of bytes tensors are aligned, and whether the file
// is one of several; false also where one is refused.
bool ga_gguf_metadata(struct ga_gguf_reader *reader, uint64_t keys, size_t *alignment_out,
                      struct ga_gguf_split *split_out);

// Says what is wrong at byte `offset` with the tensor called name (NULL: with the header), printf-formatted; always
// false.
bool ga_gguf_refuse(const struct ga_gguf_reader *reader, enum ga_fault fault, uint64_t offset, const char *name,
                    const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

#endif
