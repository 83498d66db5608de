// bytes.h: bytes that grow, and a text whose bytes remember which bytes of the original they stand for. Internal to
// libga_text. Never prints, never aborts.
#ifndef GA_TEXT_BYTES_H
#define GA_TEXT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

// Bytes of somebody else's, not NUL-terminated; a NUL among them is a byte as any other.
struct ga_text_bytes {
    const char *bytes;
    size_t length;
};

// Whether a has the bytes of b, and whether it has them somewhere; b is not empty, and short.
bool ga_text_equal(struct ga_text_bytes a, struct ga_text_bytes b);
bool ga_text_contains(struct ga_text_bytes a, struct ga_text_bytes b);

// A range of bytes, [begin, end).
struct ga_text_span {
    uint32_t begin;
    uint32_t end;
};

// A text on its way through the pipeline: always valid UTF-8, below 2^32 bytes, and not NUL-terminated. Zeroed memory
// is an empty one without alignment.
struct ga_text_string {
    char *bytes; // [length], room for capacity
    size_t length;
    size_t capacity;
    bool aligned;               // whether spans are kept: only where a call asks for offsets. Set it while length is 0
    struct ga_text_span *spans; // where aligned: [length], the bytes of the original text that each byte stands for
    size_t span_capacity;
    size_t limit; // of length; 0: none. What would pass it is refused before there is memory for it
};

// Ranges of bytes of a text that grow. Zeroed memory is an empty list.
struct ga_text_cuts {
    struct ga_text_span *items; // [count], room for capacity
    size_t count;
    size_t capacity;
};

// Makes room for `more` items of `size` bytes after `count` in *items, whose capacity is *capacity; grows by doubling.
// Returns GA_OK, GA_MEMORY, or GA_OVERFLOW where the count would pass 2^32 - 1; *items stays as it was on failure.
enum ga_status ga_text_grow(void **items, size_t *capacity, size_t count, size_t more, size_t size);

// Makes room for `more` bytes (and spans) after those of string, so that the next appends of as many cannot fail.
// Returns GA_OK, GA_MEMORY, or GA_OVERFLOW, also where its limit would be passed.
enum ga_status ga_text_string_reserve(struct ga_text_string *string, size_t more);

// Appends bytes[length], each with this span (which is not read where string is not aligned). bytes may not lie in
// string. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_string_append(struct ga_text_string *string, const char *bytes, size_t length,
                                     struct ga_text_span span);

// Appends the bytes [begin, end) of from, with their spans where string is aligned (from then is aligned as well).
// Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_string_copy(struct ga_text_string *string, const struct ga_text_string *from, size_t begin,
                                   size_t end);

// Frees what a string holds and empties it.
void ga_text_string_free(struct ga_text_string *string);

// Makes room for one more range. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_cuts_grow(struct ga_text_cuts *cuts);

// Appends a range. Empty ranges are left out, as the tokenizers package leaves out empty splits. Returns GA_OK,
// GA_MEMORY or GA_OVERFLOW.
static inline enum ga_status ga_text_cuts_append(struct ga_text_cuts *cuts, size_t begin, size_t end)
{
    enum ga_status status = GA_OK;
    if (begin < end) {
        status = cuts->count < cuts->capacity ? GA_OK : ga_text_cuts_grow(cuts);
        if (status == GA_OK) {
            cuts->items[cuts->count++] = (struct ga_text_span){(uint32_t)begin, (uint32_t)end};
        }
    }
    return status;
}

// Frees what a list of ranges holds and empties it.
void ga_text_cuts_free(struct ga_text_cuts *cuts);

// The span of byte i of string where it is aligned, else {0, 0}: what appends take.
static inline struct ga_text_span ga_text_span_at(const struct ga_text_string *string, size_t i)
{
    return string->aligned ? string->spans[i] : (struct ga_text_span){0, 0};
}

// The bytes that a text of `before` bytes may grow to, which no sensible component passes: steps that each double it
// must end somewhere.
static inline size_t ga_text_growth_limit(size_t before)
{
    return 64 * before + 4096;
}

#endif
