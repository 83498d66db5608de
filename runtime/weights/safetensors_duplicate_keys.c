// safetensors_duplicate_keys.c: a key that a header has twice: whose it is, and whether both mean the same bytes, as
// that is how two readers are made to see two files in one.
#include <string.h>

#include "safetensors_header.h"

// True where the two strings are written alike, not only decoded alike.
static bool is_written_alike(struct ga_text text, size_t a, size_t b)
{
    const size_t length = ga_place_string_end(text, a) - a;
    return ga_place_string_end(text, b) - b == length && memcmp(text.bytes + a, text.bytes + b, length) == 0;
}

// The value of the member whose key's first quote is at byte `key`, as far as it is sound; the caller's to decref.
static json_t *value_behind(struct ga_text text, size_t key)
{
    const size_t colon = ga_place_string_end(text, key);
    const char *found = memchr(text.bytes + colon, ':', text.size - colon);
    const size_t value = found == NULL ? text.size : (size_t)(found - text.bytes) + 1;
    return json_loadb(text.bytes + value, text.size - value, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, NULL);
}

static bool has_same_bytes(struct ga_text text, size_t first, size_t second)
{
    json_t *a = value_behind(text, first);
    json_t *b = value_behind(text, second);
    const json_t *offsets = json_object_get(a, "data_offsets");
    const bool same = offsets != NULL && json_equal(offsets, json_object_get(b, "data_offsets"));
    json_decref(a);
    json_decref(b);
    return same;
}

static bool refuse_tensor(const struct ga_header *r, size_t key, const char *name)
{
    const size_t first = ga_place_member(r->text, ga_place_object(r->text), name).key;
    const bool alike = is_written_alike(r->text, first, key);
    const bool same = alike && has_same_bytes(r->text, first, key);
    return ga_header_refuse(r,
                            !alike ? GA_FAULT_TENSOR_TWICE_ESCAPED
                            : same ? GA_FAULT_TENSOR_TWICE_SAME_BYTES
                                   : GA_FAULT_TENSOR_TWICE,
                            ga_header_offset(key), name, "a second tensor of this name%s; expected one, at byte %llu",
                            !alike ? ", spelt otherwise"
                            : same ? " over the same bytes"
                                   : "",
                            (unsigned long long)ga_header_offset(first));
}

// `key` is the second of its name in the entry, or in the metadata, called `outer`.
static bool refuse_field(const struct ga_header *r, size_t key, const char *outer, const char *name)
{
    char shown[GA_NAME_TEXT];
    const bool metadata = strcmp(outer, GA_SAFETENSORS_METADATA) == 0;
    return ga_header_refuse(r, metadata ? GA_FAULT_METADATA_TWICE : GA_FAULT_FIELD_TWICE, ga_header_offset(key),
                            metadata ? NULL : outer, "%s'%s' is there twice; expected each key once",
                            metadata ? GA_SAFETENSORS_METADATA ": " : "", ga_name_text(name, shown, sizeof shown));
}

enum ga_status ga_header_refuse_duplicate(const struct ga_header *r, size_t end)
{
    const struct ga_place_context context = ga_place_context(r->text, end < r->text.size ? end : r->text.size);
    const size_t key = context.last_string;
    json_t *name = ga_place_string(r->text, key);
    json_t *outer = ga_place_string(r->text, context.outer_key);
    enum ga_status status = GA_FORMAT;
    if (name == NULL || outer == NULL) {
        status = ga_header_fail_memory(r);
    } else if (context.depth > 1) {
        (void)refuse_field(r, key, json_string_value(outer), json_string_value(name));
    } else if (strcmp(json_string_value(name), GA_SAFETENSORS_METADATA) == 0) {
        (void)ga_header_refuse(r, GA_FAULT_METADATA_TWICE, ga_header_offset(key), NULL,
                               GA_SAFETENSORS_METADATA " is there twice; expected it once");
    } else {
        (void)refuse_tensor(r, key, json_string_value(name));
    }
    json_decref(name);
    json_decref(outer);
    return status;
}
