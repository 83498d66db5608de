// gguf_metadata.h: what the header of a GGUF file says of its tokenizer, as values by their keys. The bytes are not
// believed: every length is compared with the file's before it is used. Knows no tokenizer. Internal to libga_text.
#ifndef GA_TEXT_GGUF_METADATA_H
#define GA_TEXT_GGUF_METADATA_H

#include "bytes.h"

// The keys that are read; all others are skipped.
enum ga_text_gguf_key {
    GA_TEXT_GGUF_MODEL,
    GA_TEXT_GGUF_PRE,
    GA_TEXT_GGUF_TOKENS,
    GA_TEXT_GGUF_TYPES,
    GA_TEXT_GGUF_SCORES,
    GA_TEXT_GGUF_MERGES,
    GA_TEXT_GGUF_BOS,
    GA_TEXT_GGUF_EOS,
    GA_TEXT_GGUF_EOT,
    GA_TEXT_GGUF_EOM,
    GA_TEXT_GGUF_UNKNOWN,
    GA_TEXT_GGUF_SEPARATOR,
    GA_TEXT_GGUF_ADD_BOS,
    GA_TEXT_GGUF_ADD_EOS,
    GA_TEXT_GGUF_ADD_PREFIX,
    GA_TEXT_GGUF_REMOVE_EXTRA,
    GA_TEXT_GGUF_CHARSMAP,
    GA_TEXT_GGUF_LOWERCASE,
    GA_TEXT_GGUF_STRIP_ACCENTS,
    GA_TEXT_GGUF_NAME,
    GA_TEXT_GGUF_CHAT,
    GA_TEXT_GGUF_KEYS
};

// A value of the header: of a text its bytes, of a number its bytes, of an array the bytes of its items.
struct ga_text_gguf_value {
    bool is_there;
    uint32_t type;  // GGUF's number of it
    uint32_t item;  // of an array: the type of its items
    uint64_t count; // of an array: its items; else 1
    struct ga_text_bytes bytes;
};

// Zeroed memory is one that may be closed.
struct ga_text_gguf {
    const char *file;       // for messages
    struct ga_error *error; // may be NULL
    char *bytes;            // [size], the beginning of the file
    size_t size;
    struct ga_text_gguf_value values[GA_TEXT_GGUF_KEYS];
};

// Whether bytes[length], which begin a file, are those of a GGUF file.
bool ga_text_gguf_begins(const char *bytes, size_t length);

// Reads the header of an open file, which has not been read from. GA_OK; GA_FORMAT, GA_IO or
// GA_MEMORY after an entry in error.
// The caller closes it whatever the answer. gguf then borrows name and error.
enum ga_status ga_text_gguf_open(int fd, const char *name, struct ga_text_gguf *gguf_out, struct ga_error *error);
void ga_text_gguf_close(struct ga_text_gguf *gguf);

// Writes "FILE: KEY SENTENCE", printf-formatted, to the error; returns GA_FORMAT.
enum ga_status ga_text_gguf_refuse(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// Each gives the value of a key, or leaves *value_out as it is where the file lacks the key. GA_FORMAT where the value
// has another type.
enum ga_status ga_text_gguf_text(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key,
                                 struct ga_text_bytes *value_out);
enum ga_status ga_text_gguf_number(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, int64_t *value_out);
enum ga_status ga_text_gguf_bool(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, bool *value_out);

// Checks that a key has an array of items of this type, at least `count` of them; GA_FORMAT where it has not.
enum ga_status ga_text_gguf_array(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, uint32_t item,
                                  size_t count);

// Item i of an array of numbers of 32 bits, which has more than i of them.
uint32_t ga_text_gguf_item(const struct ga_text_gguf_value *array, size_t i);

// The text of an array that begins at byte *at; moves *at past it. The array has a text there.
struct ga_text_bytes ga_text_gguf_next(const struct ga_text_gguf_value *array, size_t *at);

// GGUF's numbers of types.
enum {
    GA_TEXT_GGUF_U8 = 0,
    GA_TEXT_GGUF_I8 = 1,
    GA_TEXT_GGUF_U32 = 4,
    GA_TEXT_GGUF_I32 = 5,
    GA_TEXT_GGUF_F32 = 6,
    GA_TEXT_GGUF_BOOL = 7,
    GA_TEXT_GGUF_STRING = 8,
    GA_TEXT_GGUF_ARRAY = 9
};

#endif
