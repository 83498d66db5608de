// utf8.c: decoding, width by blocks of code points, escapes. The width is a guess good enough to leave room by.
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

// What a first byte says: its bits under a mask, the bits it gives, continuation bytes, the least code point they may
// spell.
static const struct form {
    unsigned char mask, bits;
    int more;
    int32_t least;
} forms[] = {{0x80, 0x00, 0, 0}, {0xe0, 0xc0, 1, 0x80}, {0xf0, 0xe0, 2, 0x800}, {0xf8, 0xf0, 3, 0x10000}};

static int32_t decode(const unsigned char *at, const struct form *form)
{
    int32_t point = at[0] & (unsigned char)~form->mask;
    for (int i = 1; i <= form->more; i++) {
        if ((at[i] & 0xc0) != 0x80) { // also the NUL at the end
            return GA_NOT_UTF8;
        }
        point = point << 6 | (at[i] & 0x3f);
    }
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point < form->least || point > 0x10ffff || surrogate ? GA_NOT_UTF8 : point;
}

int32_t ga_utf8_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if ((at[0] & forms[i].mask) == forms[i].bits) {
            int32_t point = decode(at, &forms[i]);
            *text += point == GA_NOT_UTF8 ? 1 : forms[i].more + 1;
            return point;
        }
    }
    (*text)++;
    return GA_NOT_UTF8;
}

static size_t point_width(int32_t point)
{
    bool combines = (point >= 0x300 && point <= 0x36f) || (point >= 0xfe00 && point <= 0xfe0f) || point == 0x200d;
    bool wide = (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xfe6f) ||
                (point >= 0xff01 && point <= 0xff60) || point >= 0x1f000;
    return combines ? 0 : wide ? 2 : 1;
}

size_t ga_utf8_width(const char *text)
{
    size_t width = 0;
    while (*text) {
        width += point_width(ga_utf8_next(&text));
    }
    return width;
}

// Control characters and the two code points at the end of the first plane, which no XML may hold, not even escaped.
static bool fits_xml(int32_t point)
{
    return point >= 0x20 && !(point >= 0x7f && point <= 0x9f) && point != 0xfffe && point != 0xffff;
}

static void put_point(FILE *out, int32_t point, const char *bytes, size_t size)
{
    static const char *const escapes[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
    };
    if (!fits_xml(point)) {
        fputs("\xEF\xBF\xBD", out); // the mark for what could not be shown
    } else if (point < 128 && escapes[point]) {
        fputs(escapes[point], out);
    } else {
        fwrite(bytes, 1, size, out);
    }
}

void ga_put_xml(FILE *out, const char *text, size_t most)
{
    bool cut = most != 0 && ga_utf8_width(text) > most;
    size_t width = cut ? 1 : 0; // the ellipsis takes one
    while (*text) {
        const char *from = text;
        int32_t point = ga_utf8_next(&text);
        width += point_width(point);
        if (cut && width > most) {
            fputs("\xE2\x80\xA6", out);
            return;
        }
        put_point(out, point, from, (size_t)(text - from));
    }
}

void ga_put_json(FILE *out, const char *text)
{
    putc('"', out);
    while (*text) {
        const char *from = text;
        int32_t point = ga_utf8_next(&text);
        if (!fits_xml(point)) {
            fputs("\\ufffd", out);
        } else if ((point < 128 && strchr("\"\\<>&'", (int)point)) || point == 0x2028 || point == 0x2029) {
            fprintf(out, "\\u%04x", (unsigned)point);
        } else {
            fwrite(from, 1, (size_t)(text - from), out);
        }
    }
    putc('"', out);
}

void ga_put_json_text(FILE *out, const char *bytes, size_t length)
{
    const char *const end = bytes + length;
    putc('"', out);
    while (bytes < end) {
        const char *from = bytes;
        const int32_t point = *bytes ? ga_utf8_next(&bytes) : (bytes++, 0);
        if (point == GA_NOT_UTF8) {
            fputs("\xEF\xBF\xBD", out);
        } else if (point < 0x20 || point == 0x7f) {
            fprintf(out, "\\u%04x", (unsigned)point);
        } else {
            fputs(point == '"' || point == '\\' ? "\\" : "", out);
            fwrite(from, 1, (size_t)(bytes - from), out);
        }
    }
    putc('"', out);
}
