// unicode.c: UTF-8, the classes of code points and their lower case. Normalization forms are in forms.c.
#include "unicode.h"

#include <string.h>

#include <utf8proc.h>

#include "unicode_classes.h"

size_t ga_text_utf8(uint32_t c, char bytes[4])
{
    if (c < 0x80) {
        bytes[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        bytes[0] = (char)(0xC0 | c >> 6);
        bytes[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        bytes[0] = (char)(0xE0 | c >> 12);
        bytes[1] = (char)(0x80 | (c >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | c >> 18);
    bytes[1] = (char)(0x80 | (c >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (c >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

// The lead bytes of characters of several bytes, and what their second byte may be.
static const struct lead {
    unsigned char first, last, length, second_min, second_max;
} leads[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F},
    {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

// Bytes of the character of several bytes at bytes[left], 0 where it is none.
static size_t valid_character(const unsigned char *bytes, size_t left)
{
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        const struct lead *lead = &leads[i];
        if (bytes[0] < lead->first || bytes[0] > lead->last) {
            continue;
        }
        if (left < lead->length || bytes[1] < lead->second_min || bytes[1] > lead->second_max) {
            return 0;
        }
        for (size_t k = 2; k < lead->length; k++) {
            if ((bytes[k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return lead->length;
    }
    return 0;
}

size_t ga_text_valid_utf8(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t i = 0;
    while (i < length) {
        uint64_t eight;
        if (length - i >= sizeof eight && (memcpy(&eight, bytes + i, sizeof eight), !(eight & 0x8080808080808080u))) {
            i += sizeof eight;
            continue;
        }
        const size_t size = bytes[i] < 0x80 ? 1 : valid_character(bytes + i, length - i);
        if (size == 0) {
            return i;
        }
        i += size;
    }
    return length;
}

size_t ga_text_invalid_run(const char *text, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t size = 1;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
        const struct lead *lead = &leads[i];
        if (bytes[0] < lead->first || bytes[0] > lead->last || left < 2 || bytes[1] < lead->second_min ||
            bytes[1] > lead->second_max) {
            continue;
        }
        for (size = 2; size < lead->length && size < left && (bytes[size] & 0xC0) == 0x80; size++) {
        }
    }
    return size;
}

unsigned ga_text_classes(uint32_t c)
{
    const uint32_t wanted = (c < 0x110000 ? c : 0x10FFFF) << GA_TEXT_CLASS_BITS | ((1u << GA_TEXT_CLASS_BITS) - 1);
    const bool indexed = c < GA_TEXT_CLASS_INDEXED;
    uint32_t low = ga_text_class_index[indexed ? c >> 8 : GA_TEXT_CLASS_INDEXED >> 8];
    uint32_t high = indexed ? ga_text_class_index[(c >> 8) + 1] + 1u : ga_text_n_class_runs;
    while (high - low > 1) { // the last run that begins at c or before
        const uint32_t middle = low + (high - low) / 2;
        if (ga_text_class_runs[middle] <= wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return ga_text_class_runs[low] & ((1u << GA_TEXT_CLASS_BITS) - 1);
}

bool ga_text_is_whitespace(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

static const struct range {
    uint32_t first, last;
} chinese[] = {
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
    {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F},
};

bool ga_text_is_chinese(uint32_t c)
{
    bool is = false;
    for (size_t i = 0; i < sizeof chinese / sizeof *chinese && c >= chinese[0].first; i++) {
        is = is || (c >= chinese[i].first && c <= chinese[i].last);
    }
    return is;
}

// Lower cases that versions of Unicode after utf8proc's brought: code points [first, last] and what is added to them.
static const struct later {
    uint32_t first, last;
    int32_t add;
} later[] = {
    {0x1C89, 0x1C89, 1},      {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
    {0xA7CC, 0xA7CC, 1},      {0xA7CE, 0xA7CE, 1},
    {0xA7D2, 0xA7D2, 1},      {0xA7D4, 0xA7D4, 1},
    {0xA7DA, 0xA7DA, 1},      {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
    {0x10D50, 0x10D65, 0x20}, {0x16EA0, 0x16EB8, 0x1B},
};

size_t ga_text_lower(uint32_t c, uint32_t lower[2])
{
    if (c == 0x130) { // I with a dot above: the only one that becomes two
        lower[0] = 'i';
        lower[1] = 0x307;
        return 2;
    }
    lower[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (c >= later[i].first && c <= later[i].last) {
            lower[0] = (uint32_t)((int32_t)c + later[i].add);
        }
    }
    return 1;
}
