// test_charsmap.c: the normalizer Precompiled by a map made here, and by the same map damaged in every way: nothing may
// be read beyond it.
#include "subword_fixture.h"

enum { UNITS = 0x142, A_UNIT = 0x141, VALUE = 0x42, TEXTS = 4, MAP = 4 + 4 * UNITS + TEXTS };

static void write_number(unsigned char *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(number >> 8 * i);
    }
}

// A double array with one key, "A", whose text is "bc".
static void make_map(unsigned char map[MAP])
{
    memset(map, 0, MAP);
    write_number(map, 4 * UNITS);
    write_number(map + 4, 0x100u << 10);
    write_number(map + 4 + 4 * A_UNIT, 'A' | 1u << 8 | (uint32_t)(A_UNIT ^ VALUE) << 10);
    write_number(map + 4 + 4 * VALUE, 1u << 31);
    memcpy(map + 4 + 4 * UNITS, "bc", 3);
}

static void write_base64(const unsigned char *bytes, size_t length, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const uint32_t three = (uint32_t)bytes[i] << 16 | (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (i + 2 < length ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++) {
            *out++ = i + (size_t)k > length ? '=' : digits[three >> (18 - 6 * k) & 63];
        }
    }
    *out = '\0';
}

static struct subword open_map(const unsigned char *map, size_t length)
{
    static char base64[2 * MAP], normalizer[2 * MAP + 100];
    write_base64(map, length, base64);
    snprintf(normalizer, sizeof(normalizer), "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"%s\"}", base64);
    return try_subword((struct subword_parts){.normalizer = normalizer,
                                              .model = "{\"type\":\"BPE\",\"unk_token\":\"?\",\"vocab\":{\"?\":0,\"A\":"
                                                       "1,\"b\":2,\"c\":3,\"x\":4},\"merges\":[]}"});
}

Test(charsmap, replaces_characters_and_whole_graphemes)
{
    unsigned char map[MAP];
    make_map(map);
    struct subword opened = open_map(map, MAP);
    cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
    cr_assert_str_eq(subword_ids(&opened, "xAx"), "4 2 3 4");
    cr_assert_str_eq(subword_offsets(&opened, "xAx"), "0-1 1-2 1-2 2-3");
    cr_assert_str_eq(subword_ids(&opened, "A\xCC\x81x"), "2 3 4"); // the accent goes with the letter
    cr_assert_str_eq(subword_offsets(&opened, "A\xCC\x81x"), "0-1 1-2 2-3");
    cr_assert_str_eq(subword_ids(&opened, "A\xCC\x81\xCC\x81\xCC\x81x"), "2 3 0 0 0 4"); // too long a grapheme
    close_subword(&opened);
}

Test(charsmap, survives_damage)
{
    unsigned char map[MAP], damaged[MAP];
    make_map(map);
    uint32_t random = 1;
    for (int round = 0; round < 3000; round++) {
        memcpy(damaged, map, MAP);
        for (int i = 0; i < 1 + round % 4; i++) {
            random = random * 1664525u + 1013904223u;
            const size_t hot[] = {4, 4 + 4 * A_UNIT, 4 + 4 * VALUE, 4 + 4 * UNITS};
            damaged[(hot[random >> 30] + (random >> 16) % 4) % MAP] ^= (unsigned char)(1 << (random >> 24) % 8);
        }
        struct subword opened = open_map(damaged, round % 3 == 0 ? MAP - (random >> 20) % MAP : MAP);
        if (opened.status == GA_OK) {
            subword_ids(&opened, "xAxA\xCC\x81");
        }
        close_subword(&opened);
    }
}

Test(charsmap, refuses_what_is_no_map)
{
    static const char *const refused[] = {
        "", "AAA", "AAAA=", "A===", "AAE=", "AAAAAA!=", "/////w==", "AAAAAP8=", "=AAA", "AA=A"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        char normalizer[100];
        snprintf(normalizer, sizeof(normalizer), "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"%s\"}",
                 refused[i]);
        struct subword opened = try_subword(
            (struct subword_parts){.normalizer = normalizer, .model = "{\"type\":\"BPE\",\"vocab\":{},\"merges\":[]}"});
        cr_assert_eq(opened.status, GA_FORMAT, "%s", refused[i]);
        cr_assert_not_null(strstr(opened.error.text, "precompiled_charsmap"), "%s", opened.error.text);
        close_subword(&opened);
    }
}
