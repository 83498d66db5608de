// gguf_metadata.c: reads the keys and values at the beginning of a GGUF file, little-endian. Reads no tensor.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include "gguf_metadata.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAGIC = 4, FIRST = 1 << 16, LARGEST = 256 << 20, N_TYPES = 13 };

static const char *const names[GA_TEXT_GGUF_KEYS] = {
    [GA_TEXT_GGUF_MODEL] = "tokenizer.ggml.model",
    [GA_TEXT_GGUF_PRE] = "tokenizer.ggml.pre",
    [GA_TEXT_GGUF_TOKENS] = "tokenizer.ggml.tokens",
    [GA_TEXT_GGUF_TYPES] = "tokenizer.ggml.token_type",
    [GA_TEXT_GGUF_SCORES] = "tokenizer.ggml.scores",
    [GA_TEXT_GGUF_MERGES] = "tokenizer.ggml.merges",
    [GA_TEXT_GGUF_BOS] = "tokenizer.ggml.bos_token_id",
    [GA_TEXT_GGUF_EOS] = "tokenizer.ggml.eos_token_id",
    [GA_TEXT_GGUF_EOT] = "tokenizer.ggml.eot_token_id",
    [GA_TEXT_GGUF_EOM] = "tokenizer.ggml.eom_token_id",
    [GA_TEXT_GGUF_UNKNOWN] = "tokenizer.ggml.unknown_token_id",
    [GA_TEXT_GGUF_SEPARATOR] = "tokenizer.ggml.seperator_token_id", // so it is spelled
    [GA_TEXT_GGUF_ADD_BOS] = "tokenizer.ggml.add_bos_token",
    [GA_TEXT_GGUF_ADD_EOS] = "tokenizer.ggml.add_eos_token",
    [GA_TEXT_GGUF_ADD_PREFIX] = "tokenizer.ggml.add_space_prefix",
    [GA_TEXT_GGUF_REMOVE_EXTRA] = "tokenizer.ggml.remove_extra_whitespaces",
    [GA_TEXT_GGUF_CHARSMAP] = "tokenizer.ggml.precompiled_charsmap",
    [GA_TEXT_GGUF_LOWERCASE] = "tokenizer.ggml.normalizer.lowercase",
    [GA_TEXT_GGUF_STRIP_ACCENTS] = "tokenizer.ggml.normalizer.strip_accents",
    [GA_TEXT_GGUF_NAME] = "general.name",
    [GA_TEXT_GGUF_CHAT] = "tokenizer.chat_template",
};

static const unsigned char widths[N_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// Types in messages.
static const char *const type_names[N_TYPES] = {"uint8", "int8",   "uint16", "int16",  "uint32", "int32",  "float32",
                                                "bool",  "string", "array",  "uint64", "int64",  "float64"};

bool ga_text_gguf_begins(const char *bytes, size_t length)
{
    return length >= MAGIC && memcmp(bytes, "GGUF", MAGIC) == 0;
}

enum ga_status ga_text_gguf_refuse(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, const char *format, ...)
{
    char sentence[320];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return ga_fail(gguf->error, GA_FORMAT, "%s: %s %s", gguf->file, names[key], sentence);
}

// -- Values ---------------------------------------------------------------------------------------------------------

// How far the bytes that were read are understood. A value that goes beyond them ends the walk with `more`.
struct walk {
    struct ga_text_gguf *gguf;
    size_t at;
    bool more;
    enum ga_status status;
};

static bool refuse(struct walk *w, size_t at, const char *what)
{
    w->status = ga_fail_at(w->gguf->error, GA_FORMAT, GA_FAULT_NONE, at, "%s: byte %zu: %s", w->gguf->file, at, what);
    return false;
}

static bool skip(struct walk *w, uint64_t bytes)
{
    if (bytes > LARGEST) {
        return refuse(w, w->at, "a value of more than 256 MB in a GGUF header; expected a smaller one");
    }
    w->more = bytes > w->gguf->size - w->at;
    w->at += w->more ? 0 : (size_t)bytes;
    return !w->more;
}

static uint64_t number_at(const char *bytes, size_t width)
{
    uint64_t value = 0;
    for (size_t i = width; i > 0; i--) {
        value = value << 8 | (unsigned char)bytes[i - 1];
    }
    return value;
}

static bool take(struct walk *w, size_t width, uint64_t *value_out)
{
    const size_t at = w->at;
    const bool is_there = skip(w, width);
    *value_out = is_there ? number_at(w->gguf->bytes + at, width) : 0;
    return is_there;
}

static bool take_text(struct walk *w, struct ga_text_bytes *text_out)
{
    uint64_t length;
    if (!take(w, 8, &length)) {
        return false;
    }
    *text_out = (struct ga_text_bytes){w->gguf->bytes + w->at, (size_t)length};
    return skip(w, length);
}

static bool skip_items(struct walk *w, uint64_t type, uint64_t count)
{
    struct ga_text_bytes text;
    if (type != GA_TEXT_GGUF_STRING) {
        return skip(w, count > LARGEST ? UINT64_MAX : count * widths[type]);
    }
    while (count > 0 && take_text(w, &text)) {
        count--;
    }
    return count == 0;
}

static bool take_array(struct walk *w, struct ga_text_gguf_value *value)
{
    uint64_t item, count;
    const size_t at = w->at;
    if (!take(w, 4, &item) || !take(w, 8, &count)) {
        return false;
    }
    if (item >= N_TYPES || item == GA_TEXT_GGUF_ARRAY) {
        return refuse(w, at, "an array of arrays or of a type without a name; expected one of values");
    }
    value->item = (uint32_t)item;
    value->count = count;
    value->bytes.bytes = w->gguf->bytes + w->at;
    const size_t begin = w->at;
    const bool is_there = skip_items(w, item, count);
    value->bytes.length = w->at - begin;
    return is_there;
}

static bool take_value(struct walk *w, struct ga_text_gguf_value *value)
{
    uint64_t type;
    const size_t at = w->at;
    if (!take(w, 4, &type)) {
        return false;
    }
    if (type >= N_TYPES) {
        return refuse(w, at, "a value of a type without a name; expected one of 0 to 12");
    }
    *value = (struct ga_text_gguf_value){.is_there = true, .type = (uint32_t)type, .count = 1};
    if (type == GA_TEXT_GGUF_ARRAY) {
        return take_array(w, value);
    }
    if (type == GA_TEXT_GGUF_STRING) {
        return take_text(w, &value->bytes);
    }
    value->bytes = (struct ga_text_bytes){w->gguf->bytes + w->at, widths[type]};
    return skip(w, widths[type]);
}

// -- Keys -----------------------------------------------------------------------------------------------------------

static struct ga_text_gguf_value *value_of(struct ga_text_gguf *gguf, struct ga_text_bytes key)
{
    for (size_t i = 0; i < GA_TEXT_GGUF_KEYS; i++) {
        if (strlen(names[i]) == key.length && memcmp(names[i], key.bytes, key.length) == 0) {
            return &gguf->values[i];
        }
    }
    return NULL;
}

static bool take_key(struct walk *w)
{
    struct ga_text_bytes key;
    struct ga_text_gguf_value other, *value;
    const size_t at = w->at;
    if (!take_text(w, &key)) {
        return false;
    }
    value = value_of(w->gguf, key);
    if (value && value->is_there) {
        return refuse(w, at, "a key that is there twice; expected each once");
    }
    return take_value(w, value ? value : &other);
}

static bool take_header(struct walk *w)
{
    uint64_t version, tensors, keys;
    memset(w->gguf->values, 0, sizeof w->gguf->values);
    if (!skip(w, MAGIC)) {
        return false;
    }
    if (!ga_text_gguf_begins(w->gguf->bytes, w->gguf->size)) {
        return refuse(w, 0, "no GGUF there; expected a tokenizer.json or a GGUF file");
    }
    if (!take(w, 4, &version) || !take(w, 8, &tensors) || !take(w, 8, &keys)) {
        return false;
    }
    if (version != 2 && version != 3) {
        return refuse(w, MAGIC, "a GGUF version that is not read; expected 2 or 3, little-endian");
    }
    while (keys > 0 && take_key(w)) {
        keys--;
    }
    return keys == 0;
}

// -- The file -------------------------------------------------------------------------------------------------------

// Reads on until there are `wanted` bytes.
static enum ga_status read_more(int fd, struct ga_text_gguf *gguf, size_t wanted)
{
    char *grown = realloc(gguf->bytes, wanted);
    if (!grown) {
        return ga_fail(gguf->error, GA_MEMORY, "%s: no memory for %zu bytes of its header", gguf->file, wanted);
    }
    gguf->bytes = grown;
    const size_t before = gguf->size;
    ssize_t got = 1;
    while (gguf->size < wanted && got != 0) {
        got = read(fd, grown + gguf->size, wanted - gguf->size);
        if (got < 0 && errno != EINTR) {
            break;
        }
        gguf->size += got > 0 ? (size_t)got : 0;
    }
    if (got < 0) {
        return ga_fail(gguf->error, GA_IO, "%s: cannot be read", gguf->file);
    }
    return gguf->size > before
               ? GA_OK
               : ga_fail(gguf->error, GA_FORMAT, "%s: ends within its header at byte %zu: it is cut short", gguf->file,
                         gguf->size);
}

enum ga_status ga_text_gguf_open(int fd, const char *name, struct ga_text_gguf *gguf, struct ga_error *error)
{
    *gguf = (struct ga_text_gguf){.file = name, .error = error};
    struct walk walk = {.gguf = gguf, .more = true};
    for (size_t wanted = FIRST; walk.more && walk.status == GA_OK; wanted *= 2) {
        if (wanted > LARGEST) {
            return ga_fail(error, GA_FORMAT, "%s: its header has more than %d bytes", name, LARGEST);
        }
        walk.status = read_more(fd, gguf, wanted);
        walk.at = 0;
        walk.more = false;
        (void)(walk.status == GA_OK && take_header(&walk));
    }
    return walk.status;
}

void ga_text_gguf_close(struct ga_text_gguf *gguf)
{
    free(gguf->bytes);
    *gguf = (struct ga_text_gguf){0};
}

// -- By key ---------------------------------------------------------------------------------------------------------

enum ga_status ga_text_gguf_text(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key,
                                 struct ga_text_bytes *value_out)
{
    const struct ga_text_gguf_value *value = &gguf->values[key];
    if (value->is_there && value->type != GA_TEXT_GGUF_STRING) {
        return ga_text_gguf_refuse(gguf, key, "has type %s; expected string", type_names[value->type]);
    }
    *value_out = value->is_there ? value->bytes : *value_out;
    return GA_OK;
}

enum ga_status ga_text_gguf_number(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, int64_t *value_out)
{
    const struct ga_text_gguf_value *value = &gguf->values[key];
    if (value->is_there && value->type != GA_TEXT_GGUF_U32 && value->type != GA_TEXT_GGUF_I32) {
        return ga_text_gguf_refuse(gguf, key, "has type %s; expected uint32 or int32", type_names[value->type]);
    }
    *value_out = value->is_there ? (int64_t)number_at(value->bytes.bytes, 4) : *value_out;
    return GA_OK;
}

enum ga_status ga_text_gguf_bool(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, bool *value_out)
{
    const struct ga_text_gguf_value *value = &gguf->values[key];
    if (value->is_there && value->type != GA_TEXT_GGUF_BOOL) {
        return ga_text_gguf_refuse(gguf, key, "has type %s; expected bool", type_names[value->type]);
    }
    *value_out = value->is_there ? value->bytes.bytes[0] != 0 : *value_out;
    return GA_OK;
}

enum ga_status ga_text_gguf_array(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, uint32_t item,
                                  size_t count)
{
    const struct ga_text_gguf_value *value = &gguf->values[key];
    const bool is_array = value->type == GA_TEXT_GGUF_ARRAY;
    if (!value->is_there) {
        return ga_text_gguf_refuse(gguf, key,
                                   "is missing; expected an array of %s: the file's tokenizer is not complete, and "
                                   "--tokenizer takes the tokenizer.json of the model instead",
                                   type_names[item]);
    }
    if (!is_array || value->item != item) {
        return ga_text_gguf_refuse(gguf, key, "has type %s%s; expected an array of %s", is_array ? "array of " : "",
                                   type_names[is_array ? value->item : value->type], type_names[item]);
    }
    return value->count >= count ? GA_OK
                                 : ga_text_gguf_refuse(gguf, key, "has %llu items; expected %zu, one of each token",
                                                       (unsigned long long)value->count, count);
}

uint32_t ga_text_gguf_item(const struct ga_text_gguf_value *array, size_t i)
{
    return (uint32_t)number_at(array->bytes.bytes + 4 * i, 4);
}

struct ga_text_bytes ga_text_gguf_next(const struct ga_text_gguf_value *array, size_t *at)
{
    const struct ga_text_bytes text = {array->bytes.bytes + *at + 8, (size_t)number_at(array->bytes.bytes + *at, 8)};
    *at += 8 + text.length;
    return text;
}
