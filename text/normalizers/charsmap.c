// charsmap.c: sentencepiece's precompiled map from texts to texts. Rewrites no text.
#include "charsmap.h"

#include <stdlib.h>
#include <string.h>

#include "unicode.h"

enum { LONGEST = 1024, LONGEST_KEY = 256 }; // bytes of a text that a key is mapped to, and of a key

// -- Base64 ---------------------------------------------------------------------------------------------------------

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Decodes text to out, which has room for 3 bytes for each 4 of it; gives their number, or SIZE_MAX for what is no
// base64 with its padding.
static size_t decode(struct ga_text_bytes text, unsigned char *out)
{
    size_t count = 0, padding = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < text.length; i++) {
        const int value = digit(text.bytes[i]);
        padding += text.bytes[i] == '=' ? 1 : 0;
        if (padding > 2 || (value < 0) != (padding > 0) || (padding > 0 && text.bytes[i] != '=')) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
        if (i % 4 == 3) {
            out[count++] = (unsigned char)(bits >> 16);
            out[count++] = (unsigned char)(bits >> 8);
            out[count++] = (unsigned char)bits;
        }
    }
    const uint32_t unused = padding == 2 ? bits & 0xFFFF : padding == 1 ? bits & 0xFF : 0;
    return text.length % 4 != 0 || unused != 0 ? SIZE_MAX : count - padding;
}

// -- Reading --------------------------------------------------------------------------------------------------------

static uint32_t number_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static enum ga_status fail(struct ga_text_charsmap_fault *out, const char *found, const char *expected)
{
    *out = (struct ga_text_charsmap_fault){found, expected};
    return GA_FORMAT;
}

static enum ga_status copy_parts(struct ga_text_charsmap *charsmap, const unsigned char *bytes, size_t length)
{
    charsmap->units = malloc((charsmap->n_units + 1) * sizeof(*charsmap->units));
    charsmap->texts = malloc(length + 1);
    if (charsmap->units == NULL || charsmap->texts == NULL) {
        return GA_MEMORY;
    }
    for (size_t i = 0; i < charsmap->n_units; i++) {
        charsmap->units[i] = number_at(bytes + 4 + 4 * i);
    }
    charsmap->length = length - 4 - 4 * charsmap->n_units;
    memcpy(charsmap->texts, bytes + 4 + 4 * charsmap->n_units, charsmap->length);
    return GA_OK;
}

// The most bytes without a NUL.
static size_t longest_text(const struct ga_text_charsmap *charsmap)
{
    size_t longest = 0;
    for (size_t begin = 0; begin < charsmap->length;) {
        const char *end = memchr(charsmap->texts + begin, '\0', charsmap->length - begin);
        const size_t length = end == NULL ? charsmap->length - begin : (size_t)(end - charsmap->texts) - begin;
        longest = length > longest ? length : longest;
        begin += length + 1;
    }
    return longest;
}

static enum ga_status read_parts(struct ga_text_charsmap *charsmap, const unsigned char *bytes, size_t length,
                                 struct ga_text_charsmap_fault *fault)
{
    if (length == SIZE_MAX) {
        return fail(fault, "what is no base64", "base64 with its padding");
    }
    if (length < 4 || number_at(bytes) / 4 > (length - 4) / 4) {
        return fail(fault, "a map that is cut short", "the length of a double array, the array, and texts");
    }
    charsmap->n_units = number_at(bytes) / 4;
    const enum ga_status status = copy_parts(charsmap, bytes, length);
    if (status == GA_OK && longest_text(charsmap) > LONGEST) {
        return fail(fault, "a text of more than 1024 bytes", "texts that are shorter, each with a NUL after it");
    }
    if (status == GA_OK && ga_text_valid_utf8(charsmap->texts, charsmap->length) != charsmap->length) {
        return fail(fault, "texts that are not UTF-8", "valid UTF-8");
    }
    return status;
}

enum ga_status ga_text_charsmap_read(struct ga_text_charsmap *charsmap, struct ga_text_bytes base64,
                                     struct ga_text_charsmap_fault *fault_out)
{
    *charsmap = (struct ga_text_charsmap){0};
    unsigned char *bytes = malloc(base64.length / 4 * 3 + 3);
    if (bytes == NULL) {
        return GA_MEMORY;
    }
    const enum ga_status status = read_parts(charsmap, bytes, decode(base64, bytes), fault_out);
    free(bytes);
    if (status != GA_OK) {
        ga_text_charsmap_free(charsmap);
    }
    return status;
}

void ga_text_charsmap_free(struct ga_text_charsmap *charsmap)
{
    free(charsmap->units);
    free(charsmap->texts);
    *charsmap = (struct ga_text_charsmap){0};
}

// -- Looking up -----------------------------------------------------------------------------------------------------

// Units as Darts has them: bit 8: a value is below; bit 9: the offset is in steps of 256; bit 31: the unit is a value.
static uint32_t offset_of(uint32_t unit)
{
    return (unit >> 10) << ((unit & 1u << 9) >> 6);
}

static uint32_t label_of(uint32_t unit)
{
    return unit & (1u << 31 | 0xFF);
}

static struct ga_text_bytes text_at(const struct ga_text_charsmap *charsmap, size_t at)
{
    if (at > charsmap->length || (at < charsmap->length && (charsmap->texts[at] & 0xC0) == 0x80)) {
        return (struct ga_text_bytes){NULL, 0};
    }
    const char *end = memchr(charsmap->texts + at, '\0', charsmap->length - at);
    const size_t length = end == NULL ? charsmap->length - at : (size_t)(end - charsmap->texts) - at;
    return (struct ga_text_bytes){charsmap->texts + at, length};
}

// Goes down from *at by a byte; false where no key has it. *unit_out: what is there.
static bool step(const struct ga_text_charsmap *charsmap, char byte, uint32_t *at, uint32_t *unit_out)
{
    const uint32_t next = *at ^ (unsigned char)byte;
    if (next >= charsmap->n_units || label_of(charsmap->units[next]) != (unsigned char)byte) {
        return false;
    }
    *unit_out = charsmap->units[next];
    *at = next ^ offset_of(*unit_out);
    return true;
}

static uint32_t root_of(const struct ga_text_charsmap *charsmap)
{
    return charsmap->n_units == 0 ? 0 : offset_of(charsmap->units[0]);
}

bool ga_text_charsmap_has(const struct ga_text_charsmap *charsmap, const char *text, size_t length)
{
    uint32_t at = root_of(charsmap), unit;
    bool has = true;
    for (size_t i = 0; i < length && has; i++) {
        has = step(charsmap, text[i], &at, &unit);
    }
    return has;
}

struct ga_text_bytes ga_text_charsmap_find(const struct ga_text_charsmap *charsmap, const char *key, size_t length)
{
    uint32_t at = root_of(charsmap), unit;
    for (size_t i = 0; i < length && key[i] != '\0' && step(charsmap, key[i], &at, &unit); i++) {
        if ((unit & 1u << 8) != 0 && at < charsmap->n_units) {
            return text_at(charsmap, charsmap->units[at] & ~(1u << 31));
        }
        if ((unit & 1u << 8) != 0) {
            break;
        }
    }
    return (struct ga_text_bytes){NULL, 0};
}

struct ga_text_bytes ga_text_charsmap_longest(const struct ga_text_charsmap *charsmap, const char *key, size_t length,
                                              size_t *taken_out)
{
    uint32_t at = root_of(charsmap), unit;
    struct ga_text_bytes longest = {NULL, 0};
    for (size_t i = 0; i < length && i < LONGEST_KEY && key[i] != '\0' && step(charsmap, key[i], &at, &unit); i++) {
        const bool is_whole = i + 1 == length || (key[i + 1] & 0xC0) != 0x80; // a damaged map cuts characters
        if (is_whole && (unit & 1u << 8) != 0 && at < charsmap->n_units) {
            longest = text_at(charsmap, charsmap->units[at] & ~(1u << 31));
            *taken_out = i + 1;
        }
    }
    return longest;
}
