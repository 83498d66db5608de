// lossy.c: bytes that need not be UTF-8 to text, U+FFFD standing for what is none.
#include "lossy.h"

#include "unicode.h"

static bool is_between(const unsigned char *bytes, size_t length, size_t at, unsigned char min, unsigned char max)
{
    return at < length && bytes[at] >= min && bytes[at] <= max;
}

// How many bytes of the invalid beginning of bytes[length] one U+FFFD stands for: at least 1.
static size_t invalid_length(const unsigned char *bytes, size_t length)
{
    const unsigned char first = bytes[0];
    const size_t characters = first >= 0xC2 && first < 0xE0   ? 2
                              : first >= 0xE0 && first < 0xF0 ? 3
                              : first >= 0xF0 && first < 0xF5 ? 4
                                                              : 1;
    const unsigned char min = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char max = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    size_t end = 1;
    while (end < characters && is_between(bytes, length, end, end == 1 ? min : 0x80, end == 1 ? max : 0xBF)) {
        end++;
    }
    return end;
}

enum ga_status ga_text_append_lossy(struct ga_text_string *out, const char *bytes, size_t length)
{
    static const struct ga_text_span none = {0, 0};
    enum ga_status status = GA_OK;
    for (size_t at = 0; at < length && status == GA_OK;) {
        const size_t valid = ga_text_valid_utf8(bytes + at, length - at);
        status = ga_text_string_append(out, bytes + at, valid, none);
        at += valid;
        if (at < length && status == GA_OK) {
            status = ga_text_string_append(out, "\xef\xbf\xbd", 3, none);
            at += invalid_length((const unsigned char *)bytes + at, length - at);
        }
    }
    return status;
}
