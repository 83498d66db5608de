// chunks.c: where chunks of a text end. Keeps none.
#include "chunks.h"

#include <string.h>

#include "unicode.h"

static bool is_graphic(char byte)
{
    return byte >= 0x21 && byte <= 0x7E;
}

// char has a sign on x86-64 and none on AArch64.
static bool is_ascii(char byte)
{
    return (unsigned char)byte < 0x80;
}

// Whether the character that ends before `end` is one that a chunk may end with.
static bool ends_chunk(const char *bytes, size_t begin, size_t end)
{
    if (is_ascii(bytes[end - 1])) {
        return is_graphic(bytes[end - 1]);
    }
    size_t at = end - 1, length;
    while (at > begin && ((unsigned char)bytes[at] & 0xC0) == 0x80) {
        at--;
    }
    return ga_text_is_letter(ga_text_code_point(bytes + at, &length));
}

static bool begins_chunk(const char *bytes)
{
    size_t length;
    return is_ascii(*bytes) ? is_graphic(*bytes) : ga_text_is_letter(ga_text_code_point(bytes, &length));
}

size_t ga_text_chunk_end(const char *bytes, size_t length, size_t begin)
{
    for (size_t at = begin + 1; at + 1 < length; at++) {
        const char *space = memchr(bytes + at, ' ', length - 1 - at);
        if (space == NULL) {
            return length;
        }
        at = (size_t)(space - bytes);
        if (ends_chunk(bytes, begin, at) && begins_chunk(bytes + at + 1)) {
            return at;
        }
    }
    return length;
}
