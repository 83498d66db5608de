// gguf_fixture.h: GGUF files of metadata alone for the tests of libga_text, as they are made key by key, and opened.
#ifndef GA_GGUF_FIXTURE_H
#define GA_GGUF_FIXTURE_H

#include <stdint.h>
#include <unistd.h>

#include "subword_fixture.h"

// A GGUF file as it is made: metadata without tensors.
struct gguf_file {
    char bytes[1 << 16];
    size_t length;
    uint64_t keys;
};

static inline void put_number(struct gguf_file *file, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        file->bytes[file->length++] = (char)(value >> 8 * i);
    }
}

static inline void put_text(struct gguf_file *file, const char *text)
{
    put_number(file, strlen(text), 8);
    memcpy(file->bytes + file->length, text, strlen(text));
    file->length += strlen(text);
}

enum { U8 = 0, U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 };

static inline void put_key(struct gguf_file *file, const char *key, uint32_t type)
{
    put_text(file, key);
    put_number(file, type, 4);
    file->keys++;
}

static inline void put_array(struct gguf_file *file, const char *key, uint32_t item, size_t count)
{
    put_key(file, key, ARRAY);
    put_number(file, item, 4);
    put_number(file, count, 8);
}

static inline void put_string(struct gguf_file *file, const char *key, const char *value)
{
    put_key(file, key, STRING);
    put_text(file, value);
}

static inline struct gguf_file begin_file(const char *model, const char *pre)
{
    struct gguf_file file = {.bytes = "GGUF\3", .length = 24};
    put_string(&file, "general.architecture", "llama");
    if (model != NULL) {
        put_string(&file, "tokenizer.ggml.model", model);
    }
    if (pre != NULL) {
        put_string(&file, "tokenizer.ggml.pre", pre);
    }
    return file;
}

static inline void put_floats(struct gguf_file *file, const char *key, const float *values, size_t count)
{
    put_array(file, key, F32, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_number(file, bits, 4);
    }
}

static inline void put_id(struct gguf_file *file, const char *key, uint64_t id)
{
    put_key(file, key, U32);
    put_number(file, id, 4);
}

static inline void put_switch(struct gguf_file *file, const char *key, bool on)
{
    put_key(file, key, BOOL);
    put_number(file, on, 1);
}

// -- Opening --------------------------------------------------------------------------------------------------------

// Writes the first `length` bytes and opens them.
static inline struct subword open_cut(struct gguf_file *file, size_t length)
{
    char path[] = "/tmp/ga_gguf_XXXXXX";
    struct subword opened = {0};
    const struct gguf_file counted = *file;
    file->length = 16;
    put_number(file, counted.keys, 8);
    file->length = counted.length;
    const int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    cr_assert_eq(write(descriptor, file->bytes, length), (ssize_t)length);
    close(descriptor);
    opened.status = ga_text_tokenizer_open(path, &opened.tokenizer, &opened.error);
    unlink(path);
    if (opened.status == GA_OK) {
        cr_assert_eq(ga_text_context_open(opened.tokenizer, &opened.context), GA_OK);
    }
    return opened;
}

static inline struct subword open_gguf(struct gguf_file *file)
{
    const struct subword opened = open_cut(file, file->length);
    cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
    return opened;
}

static inline void expect_refused(struct gguf_file *file, const char *what)
{
    const struct subword opened = open_cut(file, file->length);
    cr_assert_eq(opened.status, GA_FORMAT);
    cr_assert_not_null(strstr(opened.error.text, what), "%s", opened.error.text);
}

static inline void expect_ids(struct subword *opened, const char *text, const char *ids)
{
    const char *found = subword_ids(opened, text);
    cr_expect_str_eq(found, ids, "\"%s\": %s", text, found);
}

// Renames a key, so that the file lacks it.
static inline struct gguf_file without(struct gguf_file file, const char *key)
{
    for (size_t at = 0; at + strlen(key) <= file.length; at++) {
        if (memcmp(file.bytes + at, key, strlen(key)) == 0) {
            file.bytes[at] = 'T';
            return file;
        }
    }
    cr_assert(false, "no %s there", key);
    return file;
}

#endif
