// lossy.c: bytes that may not be UTF-8, as text: U+FFFD takes the place of what is not.
#include "lossy.h"

#include "unicode.h"

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
            at += ga_text_invalid_run(bytes + at, length - at);
        }
    }
    return status;
}
