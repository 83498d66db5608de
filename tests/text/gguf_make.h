// gguf_make.h: GGUF files of metadata alone, made key by key. Opens none.
#ifndef GA_GGUF_MAKE_H
#define GA_GGUF_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

// Writes how many keys there are, which the header says before them.
static inline void count_keys(struct gguf_file *file)
{
    const size_t length = file->length;
    file->length = 16;
    put_number(file, file->keys, 8);
    file->length = length;
}

#endif
