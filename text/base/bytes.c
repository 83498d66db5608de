// bytes.c: growing arrays, texts with alignment, lists of ranges. Knows no UTF-8.
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

bool ga_text_equal(struct ga_text_bytes a, struct ga_text_bytes b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, b.length) == 0;
}

bool ga_text_contains(struct ga_text_bytes a, struct ga_text_bytes b)
{
    bool contains = false;
    for (size_t at = 0; at + b.length <= a.length && !contains; at++) {
        contains = memcmp(a.bytes + at, b.bytes, b.length) == 0;
    }
    return contains;
}

enum ga_status ga_text_grow(void **items, size_t *capacity, size_t count, size_t more, size_t size)
{
    if (more <= *capacity - count) {
        return GA_OK;
    }
    if (more > UINT32_MAX - count) {
        return GA_OVERFLOW;
    }
    size_t wanted = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity * 2;
    wanted = wanted < count + more ? count + more : wanted;
    if (wanted > SIZE_MAX / size) {
        return GA_OVERFLOW;
    }
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        return GA_MEMORY;
    }
    *items = grown;
    *capacity = wanted;
    return GA_OK;
}

enum ga_status ga_text_string_reserve(struct ga_text_string *string, size_t more)
{
    if (string->limit > 0 && more > string->limit - string->length) {
        return GA_OVERFLOW;
    }
    if (string->aligned) {
        size_t capacity = string->span_capacity;
        void *spans = string->spans;
        const enum ga_status status = ga_text_grow(&spans, &capacity, string->length, more, sizeof *string->spans);
        if (status != GA_OK) {
            return status;
        }
        string->spans = spans;
        string->span_capacity = capacity;
    }
    void *bytes = string->bytes;
    const enum ga_status status = ga_text_grow(&bytes, &string->capacity, string->length, more, 1);
    string->bytes = bytes;
    return status;
}

enum ga_status ga_text_string_append(struct ga_text_string *string, const char *bytes, size_t length,
                                     struct ga_text_span span)
{
    const enum ga_status status = ga_text_string_reserve(string, length);
    if (status != GA_OK || length == 0) {
        return status;
    }
    memcpy(string->bytes + string->length, bytes, length);
    for (size_t i = 0; string->aligned && i < length; i++) {
        string->spans[string->length + i] = span;
    }
    string->length += length;
    return GA_OK;
}

enum ga_status ga_text_string_copy(struct ga_text_string *string, const struct ga_text_string *from, size_t begin,
                                   size_t end)
{
    const enum ga_status status = ga_text_string_reserve(string, end - begin);
    if (status != GA_OK || begin == end) {
        return status;
    }
    memcpy(string->bytes + string->length, from->bytes + begin, end - begin);
    if (string->aligned) {
        memcpy(string->spans + string->length, from->spans + begin, (end - begin) * sizeof *from->spans);
    }
    string->length += end - begin;
    return GA_OK;
}

void ga_text_string_free(struct ga_text_string *string)
{
    free(string->bytes);
    free(string->spans);
    *string = (struct ga_text_string){0};
}

enum ga_status ga_text_cuts_grow(struct ga_text_cuts *cuts)
{
    void *items = cuts->items;
    const enum ga_status status = ga_text_grow(&items, &cuts->capacity, cuts->count, 1, sizeof *cuts->items);
    cuts->items = items;
    return status;
}

void ga_text_cuts_free(struct ga_text_cuts *cuts)
{
    free(cuts->items);
    *cuts = (struct ga_text_cuts){0};
}
