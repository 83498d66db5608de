// gguf_reader.c: numbers, texts and metadata of a GGUF header, little-endian, none of which is believed before the file
// is found to be long enough for it. Of the metadata it keeps the alignment and what makes several files one: what else
// they say is for whoever makes a spec of them.
#include "gguf_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensor.h"
#include "weights_refuse.h"

bool ga_gguf_refuse(const struct ga_gguf_reader *r, enum ga_fault fault, uint64_t offset, const char *name,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ga_weights_refuse_at(r->error, r->label, fault, offset, name, format, arguments);
    va_end(arguments);
    return false;
}

// -- Values ---------------------------------------------------------------------------------------------------------

bool ga_gguf_skip(struct ga_gguf_reader *r, uint64_t bytes, const char *what)
{
    const size_t left = r->file_size - r->at;
    if (bytes > left) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_SHORT, r->at, NULL,
                              "%s takes %llu bytes; expected at most %zu, as the file ends there: it is cut short, or "
                              "damaged",
                              what, (unsigned long long)bytes, left);
    }
    if (bytes > r->size - r->at) {
        r->needed = r->at + (size_t)bytes;
        return false;
    }
    r->at += (size_t)bytes;
    return true;
}

// Takes a number of so many bytes, the lowest first.
static bool take_number(struct ga_gguf_reader *r, size_t bytes, const char *what, uint64_t *value_out)
{
    *value_out = 0;
    if (!ga_gguf_skip(r, bytes, what)) {
        return false;
    }
    for (size_t i = 1; i <= bytes; i++) {
        *value_out = *value_out << 8 | r->bytes[r->at - i];
    }
    return true;
}

bool ga_gguf_u32(struct ga_gguf_reader *r, const char *what, uint32_t *value_out)
{
    uint64_t value = 0;
    const bool is_there = take_number(r, 4, what, &value);
    *value_out = (uint32_t)value;
    return is_there;
}

bool ga_gguf_u64(struct ga_gguf_reader *r, const char *what, uint64_t *value_out)
{
    return take_number(r, 8, what, value_out);
}

bool ga_gguf_text(struct ga_gguf_reader *r, const char *what, struct ga_gguf_text *text_out)
{
    uint64_t length = 0;
    const bool is_there = ga_gguf_u64(r, what, &length);
    const size_t at = r->at;
    if (!is_there || !ga_gguf_skip(r, length, what)) {
        return false;
    }
    *text_out = (struct ga_gguf_text){(const char *)r->bytes + at, (size_t)length, at};
    return true;
}

// -- Counts ---------------------------------------------------------------------------------------------------------

enum { MAGIC = 4, LEAST_INFO = 8 + 4 + 4 + 8, LEAST_KEY = 8 + 4 + 1 }; // bytes: no tensor and no key has fewer

static bool check_version(const struct ga_gguf_reader *r, uint32_t version)
{
    if (version == 2 || version == 3) {
        return true;
    }
    if (version != 0 && (version & 0xFFFFu) == 0) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_BIG_ENDIAN, MAGIC, NULL,
                              "a version of 0x%08x, so that this GGUF file is big-endian; expected a little-endian one",
                              (unsigned)version);
    }
    return ga_gguf_refuse(r, GA_FAULT_GGUF_VERSION, MAGIC, NULL, "GGUF version %u; expected 2 or 3%s",
                          (unsigned)version, version == 1 ? ": convert the model anew" : "");
}

// Reads a count of what takes so many bytes each; those of both counts together must be left.
static bool read_count(struct ga_gguf_reader *r, const char *what, size_t bytes, uint64_t *count_out)
{
    const size_t at = r->at;
    if (!ga_gguf_u64(r, what, count_out)) {
        return false;
    }
    const uint64_t most = (r->file_size - r->at) / bytes;
    return *count_out <= most ||
           ga_gguf_refuse(r, GA_FAULT_GGUF_COUNT, at, NULL,
                          "%s is %llu; expected at most %llu, which a file of %zu bytes has room for", what,
                          (unsigned long long)*count_out, (unsigned long long)most, r->file_size);
}

bool ga_gguf_counts(struct ga_gguf_reader *r, uint64_t *tensors_out, uint64_t *keys_out)
{
    uint32_t version = 0;
    return ga_gguf_skip(r, MAGIC, "the magic") && ga_gguf_u32(r, "the version", &version) &&
           check_version(r, version) && read_count(r, "the number of tensors", LEAST_INFO, tensors_out) &&
           read_count(r, "the number of keys", LEAST_KEY, keys_out);
}

// -- Metadata -------------------------------------------------------------------------------------------------------

enum type { U8, I8, U16, I16, U32, I32, F32, BOOL, TEXT, ARRAY, U64, I64, F64, N_TYPES };

static const unsigned char widths[N_TYPES] = {
    [U8] = 1,  [I8] = 1,   [U16] = 2, [I16] = 2, [U32] = 4, [I32] = 4,
    [F32] = 4, [BOOL] = 1, [U64] = 8, [I64] = 8, [F64] = 8,
};

enum { MOST_KEY = 65535, ALIGNMENT = 32, LEAST_ALIGNMENT = 8, MOST_ALIGNMENT = 1 << 20 };

static const char alignment_key[] = "general.alignment";

// A key as messages have it, in text[GA_NAME_TEXT].
static const char *shown(const struct ga_gguf_text *key, char *text)
{
    char start[GA_NAME_TEXT];
    (void)snprintf(start, sizeof start, "%.*s", (int)(key->length < sizeof start ? key->length : sizeof start - 1),
                   key->text);
    return ga_name_text(start, text, GA_NAME_TEXT);
}

static bool read_type(struct ga_gguf_reader *r, const struct ga_gguf_text *key, uint32_t *type_out)
{
    char text[GA_NAME_TEXT];
    const size_t at = r->at;
    if (!ga_gguf_u32(r, "the type of a value", type_out)) {
        return false;
    }
    return *type_out < N_TYPES ||
           ga_gguf_refuse(r, GA_FAULT_GGUF_VALUE, at, NULL, "key '%s' has a value of type %u; expected one of 0 to %d",
                          shown(key, text), (unsigned)*type_out, N_TYPES - 1);
}

// Goes over `count` values of a type that is no array's.
static bool skip_values(struct ga_gguf_reader *r, uint32_t type, uint64_t count)
{
    struct ga_gguf_text text;
    if (type != TEXT) {
        const uint64_t bytes = count > UINT64_MAX / widths[type] ? UINT64_MAX : count * widths[type];
        return ga_gguf_skip(r, bytes, "a value");
    }
    while (count > 0 && ga_gguf_text(r, "a text", &text)) {
        count--;
    }
    return count == 0;
}

static bool skip_array(struct ga_gguf_reader *r, const struct ga_gguf_text *key)
{
    uint32_t type = 0;
    uint64_t count = 0;
    char text[GA_NAME_TEXT];
    const size_t at = r->at;
    if (!read_type(r, key, &type) || !ga_gguf_u64(r, "the length of an array", &count)) {
        return false;
    }
    if (type == ARRAY) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_ARRAY, at, NULL,
                              "key '%s' is an array of arrays; expected one of values", shown(key, text));
    }
    return skip_values(r, type, count);
}

static bool read_alignment(struct ga_gguf_reader *r, uint32_t type, size_t *alignment_out)
{
    const size_t at = r->at;
    uint32_t value = 0;
    if (*alignment_out != 0 || type != U32) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_ALIGNMENT, at, NULL, "%s %s; expected one number of 32 bits",
                              alignment_key, *alignment_out != 0 ? "is there twice" : "is not a U32");
    }
    if (!ga_gguf_u32(r, "the alignment", &value)) {
        return false;
    }
    *alignment_out = value;
    return (value >= LEAST_ALIGNMENT && value <= MOST_ALIGNMENT && (value & (value - 1)) == 0) ||
           ga_gguf_refuse(r, GA_FAULT_GGUF_ALIGNMENT, at, NULL, "%s is %u; expected a power of two from %d to %d",
                          alignment_key, (unsigned)value, LEAST_ALIGNMENT, MOST_ALIGNMENT);
}

static bool is_called(const struct ga_gguf_text *key, const char *name)
{
    return key->length == strlen(name) && memcmp(key->text, name, key->length) == 0;
}

// A whole number of 16 or more bits, as a key of `split.` has it.
static bool read_split(struct ga_gguf_reader *r, const struct ga_gguf_text *key, uint32_t type, uint64_t *value_out)
{
    char text[GA_NAME_TEXT];
    const bool is_number = type == U16 || type == I16 || type == U32 || type == I32 || type == U64 || type == I64;
    if (!is_number) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_SPLIT, r->at, NULL, "key '%s' is not a whole number; expected one",
                              shown(key, text));
    }
    return take_number(r, widths[type], "a value", value_out);
}

static bool read_key(struct ga_gguf_reader *r, size_t *alignment_out, struct ga_gguf_split *split_out)
{
    const struct {
        const char *name;
        uint64_t *value;
    } splits[] = {
        {"split.no", &split_out->no}, {"split.count", &split_out->count}, {"split.tensors.count", &split_out->tensors}};
    struct ga_gguf_text key;
    uint32_t type = 0;
    if (!ga_gguf_text(r, "a key", &key)) {
        return false;
    }
    if (key.length == 0 || key.length > MOST_KEY) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_KEY, key.at, NULL, "a key of %zu bytes; expected 1 to %d", key.length,
                              MOST_KEY);
    }
    if (!read_type(r, &key, &type)) {
        return false;
    }
    if (is_called(&key, alignment_key)) {
        return read_alignment(r, type, alignment_out);
    }
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        if (is_called(&key, splits[i].name)) {
            return read_split(r, &key, type, splits[i].value);
        }
    }
    return type == ARRAY ? skip_array(r, &key) : skip_values(r, type, 1);
}

bool ga_gguf_metadata(struct ga_gguf_reader *r, uint64_t keys, size_t *alignment_out, struct ga_gguf_split *split_out)
{
    *alignment_out = 0;
    *split_out = (struct ga_gguf_split){0};
    while (keys > 0 && read_key(r, alignment_out, split_out)) {
        keys--;
    }
    if (*alignment_out == 0) {
        *alignment_out = ALIGNMENT;
    }
    return keys == 0;
}
