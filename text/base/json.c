// json.c: jansson over the bytes of a file. Its buffer for the letters of a token (up to version 2.14) drops letters
// unnoticed where it cannot grow. So it is given an array, ["xx...x", FILE], whose first string is as long as the
// longest token of the file: the buffer grows there or nowhere, and what it dropped shows in that string's length.
#include "json.h"

#include <string.h>

static const char opening[] = "[\"", between[] = "\",", closing[] = "]";

// What is found out before jansson reads: how deep it would go, and how long its buffer becomes.
struct outline {
    size_t depth, deepest, deepest_at;
    size_t longest; // token, with its quotes
};

// The byte after the token, or single character, at `at`.
static size_t token_end(struct ga_text_bytes text, size_t at)
{
    size_t end = at + 1;
    if (text.bytes[at] == '"') {
        while (end < text.length && text.bytes[end] != '"') {
            end += text.bytes[end] == '\\' ? 2 : 1;
        }
        return end < text.length ? end + 1 : text.length;
    }
    while (end < text.length && !strchr(" \t\r\n\"[]{},:", text.bytes[end])) {
        end++;
    }
    return strchr("[]{},:", text.bytes[at]) ? at + 1 : end;
}

static struct outline outline_of(struct ga_text_bytes text)
{
    struct outline o = {.longest = 1};
    for (size_t at = 0, end; at < text.length; at = end) {
        const char c = text.bytes[at];
        end = token_end(text, at);
        o.longest = end - at > o.longest ? end - at : o.longest;
        o.depth += c == '{' || c == '[';
        o.depth -= (c == '}' || c == ']') && o.depth > 0;
        if (o.depth > o.deepest) {
            o.deepest = o.depth;
            o.deepest_at = at;
        }
    }
    return o;
}

// The array on its way to jansson: its parts one after the other, of which the second is `filler` times the letter x.
struct feed {
    struct ga_text_bytes parts[5];
    size_t part;
    size_t done; // bytes of the part
};

static size_t feed(void *buffer, size_t size, void *data)
{
    struct feed *f = data;
    size_t used = 0;
    while (used < size && f->part < sizeof f->parts / sizeof *f->parts) {
        const struct ga_text_bytes part = f->parts[f->part];
        const size_t left = part.length - f->done, count = left < size - used ? left : size - used;
        if (part.bytes) {
            memcpy((char *)buffer + used, part.bytes + f->done, count);
        } else {
            memset((char *)buffer + used, 'x', count);
        }
        used += count;
        f->done = count < left ? f->done + count : 0;
        f->part += count == left;
    }
    return used;
}

static enum ga_status refuse(struct ga_text_reader *reader, const json_error_t *where, size_t before)
{
    if (where->text[0] == '\0' || json_error_code(where) == json_error_out_of_memory) {
        return ga_text_refuse_memory(reader);
    }
    const size_t read = where->position < 0 ? 0 : (size_t)where->position;
    return ga_fail_at(reader->error, GA_FORMAT, GA_FAULT_NONE, read < before ? 0 : read - before, "%s: line %d: %s",
                      reader->file, where->line, where->text);
}

enum ga_status ga_text_json_read(struct ga_text_reader *reader, struct ga_text_bytes bytes, json_t **json_out)
{
    const struct outline outline = outline_of(bytes);
    *json_out = NULL;
    if (outline.deepest > GA_TEXT_NESTING) {
        return ga_fail_at(reader->error, GA_FORMAT, GA_FAULT_NONE, outline.deepest_at,
                          "%s: objects and arrays are nested %zu deep; expected at most %d", reader->file,
                          outline.deepest, GA_TEXT_NESTING);
    }
    struct feed f = {.parts = {{opening, sizeof opening - 1},
                               {NULL, outline.longest},
                               {between, sizeof between - 1},
                               bytes,
                               {closing, sizeof closing - 1}}};
    json_error_t where;
    json_t *array = json_load_callback(feed, &f, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
    if (!array) {
        return refuse(reader, &where, sizeof opening - 1 + outline.longest + sizeof between - 1);
    }
    const bool whole = json_string_length(json_array_get(array, 0)) == outline.longest;
    const bool single = json_array_size(array) == 2;
    *json_out = whole && single ? json_incref(json_array_get(array, 1)) : NULL;
    json_decref(array);
    return !whole   ? ga_text_refuse_memory(reader)
           : single ? GA_OK
                    : ga_fail(reader->error, GA_FORMAT, "%s: several values; expected one object", reader->file);
}
