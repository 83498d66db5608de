// recorded.c: which tokenizer a model was made for, as its spec records it.
#include <string.h>

#include "ga_text.h"

enum { DIGITS = 16 };

// The value of a hexadecimal digit, in small letters as specs have them; 16 for any other character.
static unsigned digit_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, digit) : NULL;
    return at ? (unsigned)(at - digits) : 16;
}

bool ga_text_recorded_hash(const char *spec, uint64_t *hash_out)
{
    // The text of a spec has a field a line, and no line's end within a value.
    static const char field[] = "\n  tokenizer = \"";
    if (!spec || !hash_out) {
        return false;
    }
    const char *at = strstr(spec, field);
    *hash_out = 0;
    for (size_t i = 0; at && i < DIGITS; i++) {
        const unsigned value = digit_value(at[sizeof field - 1 + i]);
        if (value == 16) {
            return false;
        }
        *hash_out = *hash_out << 4 | value;
    }
    return at != NULL;
}
