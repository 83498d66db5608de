// graphemes.c: where extended grapheme clusters of a text end: by utf8proc, and a table of what Unicode 15.1 to 17
// added, which the tokenizers package knows whatever version utf8proc is.
#include "graphemes.h"

#include <utf8proc.h>

#include "unicode.h"

// Code points that extend the cluster before them.
static const struct {
    uint32_t first, last;
} extending[] = {
    {0x897, 0x897},     {0x1ACF, 0x1ADD},   {0x1AE0, 0x1AEB},   {0x10D69, 0x10D6D}, {0x10EFA, 0x10EFC},
    {0x113B8, 0x113C0}, {0x113C2, 0x113C2}, {0x113C5, 0x113C5}, {0x113C7, 0x113CA}, {0x113CC, 0x113D0},
    {0x113D2, 0x113D2}, {0x113E1, 0x113E2}, {0x11B60, 0x11B67}, {0x11F5A, 0x11F5A}, {0x1611E, 0x1612F},
    {0x1E5EE, 0x1E5EF}, {0x1E6E3, 0x1E6E3}, {0x1E6E6, 0x1E6E6}, {0x1E6EE, 0x1E6EF}, {0x1E6F5, 0x1E6F5},
};

static bool is_extending(uint32_t code_point)
{
    size_t i = 0;
    while (i < sizeof(extending) / sizeof(*extending) && code_point > extending[i].last) {
        i++;
    }
    return i < sizeof(extending) / sizeof(*extending) && code_point >= extending[i].first;
}

static utf8proc_boundclass_t class_of(uint32_t code_point)
{
    return (utf8proc_boundclass_t)utf8proc_get_property((utf8proc_int32_t)code_point)->boundclass;
}

// utf8proc is told U+0300 in place of an extending code point that it may not know.
static utf8proc_int32_t known(uint32_t code_point)
{
    return (utf8proc_int32_t)(is_extending(code_point) ? 0x300 : code_point);
}

size_t ga_text_grapheme_end(const char *text, size_t length, size_t at)
{
    size_t bytes;
    utf8proc_int32_t state = 0, code_point = known(ga_text_code_point(text + at, &bytes));
    for (at += bytes; at < length; at += bytes) {
        const utf8proc_int32_t next = known(ga_text_code_point(text + at, &bytes));
        if (utf8proc_grapheme_break_stateful(code_point, next, &state)) {
            break;
        }
        code_point = next;
    }
    return at;
}

bool ga_text_joins_next(uint32_t code_point)
{
    return class_of(code_point) == UTF8PROC_BOUNDCLASS_PREPEND;
}
