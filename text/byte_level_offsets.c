// byte_level_offsets.c: offsets of byte-level tokens without the white space around them.
#include "byte_level_offsets.h"

#include "unicode.h"

static bool is_blank(uint32_t code_point)
{
    return code_point == 0x120 || ga_text_is_whitespace(code_point); // U+0120 spells a space
}

static uint32_t count_before(struct ga_text_bytes token)
{
    uint32_t count = 0;
    size_t length;
    for (size_t at = 0; at < token.length && is_blank(ga_text_code_point(token.bytes + at, &length)); at += length) {
        count++;
    }
    return count;
}

static uint32_t count_after(struct ga_text_bytes token)
{
    uint32_t count = 0;
    size_t length, end = token.length;
    while (end > 0) {
        size_t begin = end - 1;
        while (begin > 0 && (token.bytes[begin] & 0xC0) == 0x80) {
            begin--;
        }
        if (!is_blank(ga_text_code_point(token.bytes + begin, &length))) {
            break;
        }
        count++;
        end = begin;
    }
    return count;
}

void ga_text_trim_offsets(struct ga_text_bytes token, bool add_prefix_space, bool first, struct ga_text_span *offsets)
{
    uint32_t before = count_before(token);
    const uint32_t after = count_after(token);
    if ((first || offsets->begin == 0) && add_prefix_space && before == 1) {
        before = 0; // the space that was added
    }
    const uint32_t room = offsets->end > offsets->begin ? offsets->end - offsets->begin : 0;
    offsets->begin += before < room ? before : room;
    if (after > 0 && offsets->end >= after) {
        offsets->end = offsets->end - after > offsets->begin ? offsets->end - after : offsets->begin;
    }
}
