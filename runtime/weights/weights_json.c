// weights_json.c: has jansson read a JSON text, and walks that text over strings, brackets and commas to find places;
// it does not check again what jansson checked.
#include "weights_json.h"

#include <errno.h>
#include <string.h>

// -- Reading --------------------------------------------------------------------------------------------------------

struct feed {
    struct ga_text text;
    size_t done;     // bytes that jansson has
    bool fell_short; // an allocation may have failed
};

// Notes what errno says since the last time.
static void note_errno(struct feed *f)
{
    f->fell_short = f->fell_short || errno == ENOMEM;
    errno = 0;
}

// Gives jansson one byte at a time, to look at errno between two: jansson sets it to 0 at the end of each number.
static size_t feed(void *byte_out, size_t size, void *data)
{
    struct feed *f = data;
    (void)size;
    note_errno(f);
    if (f->done == f->text.size) {
        return 0;
    }
    *(char *)byte_out = f->text.bytes[f->done++];
    return 1;
}

// NULL after a failure; *fell_short_out: whether an allocation may have failed, and letters may be lost.
static json_t *read_once(struct ga_text text, size_t flags, json_error_t *why, bool *fell_short_out)
{
    struct feed f = {text, 0, false};
    errno = 0;
    json_t *root = json_load_callback(feed, &f, flags | JSON_REJECT_DUPLICATES, why);
    note_errno(&f);
    *fell_short_out = f.fell_short;
    return root;
}

// jansson drops the letters of a token that it has no memory for, and goes on; only errno says so. But malloc may leave
// ENOMEM there and succeed, as that of glibc does if it must take memory elsewhere than it tried first. So a text is
// read again if errno speaks: what the first time took and freed is then at hand.
json_t *ga_json_read(struct ga_text text, size_t flags, json_error_t *why)
{
    const int before = errno;
    bool fell_short = true;
    json_t *root = NULL;
    for (int tries = 0; tries < 3 && fell_short; tries++) {
        json_decref(root);
        root = read_once(text, flags, why, &fell_short);
    }
    if (fell_short) {
        json_decref(root);
        root = NULL;
        why->text[0] = '\0';
    }
    errno = before;
    return root;
}

// -- Places ---------------------------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_blanks(struct ga_text text, size_t at)
{
    while (at < text.size && is_blank(text.bytes[at])) {
        at++;
    }
    return at;
}

size_t ga_place_object(struct ga_text text)
{
    return skip_blanks(text, 0);
}

size_t ga_place_string_end(struct ga_text text, size_t quote)
{
    size_t at = quote + 1;
    while (at < text.size && text.bytes[at] != '"') {
        at += text.bytes[at] == '\\' ? 2 : 1;
    }
    return at < text.size ? at + 1 : text.size;
}

// The ',' or the closing bracket after the value that begins at byte `at`.
static size_t value_end(struct ga_text text, size_t at)
{
    size_t depth = 0;
    while (at < text.size) {
        const char c = text.bytes[at];
        if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
            return at;
        }
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ']' ? 1 : 0;
        at = c == '"' ? ga_place_string_end(text, at) : at + 1;
    }
    return text.size;
}

json_t *ga_place_string(struct ga_text text, size_t quote)
{
    const size_t end = quote < text.size ? ga_place_string_end(text, quote) : quote;
    return json_loadb(text.bytes + quote, end - quote, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

// True where the string at `quote` spells key; only one with an escape in it needs decoding.
static bool spells(struct ga_text text, size_t quote, const char *key)
{
    const size_t length = ga_place_string_end(text, quote) - quote;
    if (memchr(text.bytes + quote, '\\', length) == NULL) {
        return length == strlen(key) + 2 && memcmp(text.bytes + quote + 1, key, length - 2) == 0;
    }
    json_t *string = ga_place_string(text, quote);
    const bool same = string != NULL && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return same;
}

struct ga_place ga_place_member(struct ga_text text, size_t object, const char *key)
{
    size_t at = skip_blanks(text, object + 1);
    while (at < text.size && text.bytes[at] == '"') {
        const size_t colon = skip_blanks(text, ga_place_string_end(text, at));
        const size_t value = skip_blanks(text, colon + 1);
        if (spells(text, at, key)) {
            return (struct ga_place){at, value};
        }
        at = skip_blanks(text, value_end(text, value) + 1);
    }
    return (struct ga_place){text.size, text.size};
}

size_t ga_place_element(struct ga_text text, size_t array, size_t i)
{
    size_t at = skip_blanks(text, array + 1);
    for (; i > 0 && at < text.size && text.bytes[at] != ']'; i--) {
        at = skip_blanks(text, value_end(text, at) + 1);
    }
    return at < text.size && text.bytes[at] != ']' ? at : array;
}

struct ga_place_context ga_place_context(struct ga_text text, size_t end)
{
    struct ga_place_context found = {.last_string = text.size, .outer_key = text.size};
    char before = '\0'; // the last byte that is neither blank nor of a string
    for (size_t at = 0; at < end;) {
        const char c = text.bytes[at];
        if (c == '"') {
            found.last_string = at;
            found.outer_key = found.depth == 1 && (before == '{' || before == ',') ? at : found.outer_key;
            at = ga_place_string_end(text, at);
            found.in_string = at > end;
            continue;
        }
        found.depth += c == '{' || c == '[' ? 1 : 0;
        found.depth -= (c == '}' || c == ']') && found.depth > 0 ? 1 : 0;
        before = is_blank(c) ? before : c;
        at++;
    }
    return found;
}
