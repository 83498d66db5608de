// test_packed.c: a packed tokenizer gives what the tokenizer.json gives that it was packed of; whatever its bytes are,
// it is refused with a word or safe to use.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/packed.h"
#include "checksum.h"
#include "text_fixture.h"

#define FORM(model)                                                                                                \
    "{\"version\":\"1.0\",\"added_tokens\":[],\"normalizer\":null,\"pre_tokenizer\":null,\"post_processor\":null," \
    "\"decoder\":null,\"model\":" model "}"

// Of BPE with merges that name one pair twice, of which the last counts, with a prefix, and of Unigram with a token
// twice, an empty one, one that holds NUL and scores that binary floats do not have.
static const char *const files[] = {
    fixture_json,
    FORM("{\"type\":\"BPE\",\"unk_token\":\"a\",\"byte_fallback\":true,\"vocab\":{\"a\":0,\"b\":1,\"c\":2,\"ab\":4,"
         "\"bc\":5,\"abc\":7,\"<0x41>\":9},\"merges\":[\"#version: 1\",\"a b\",\"b c\",\"a bc\",\"ab c\",\"a b\"]}"),
    FORM("{\"type\":\"BPE\",\"unk_token\":\"a\",\"continuing_subword_prefix\":\"##\",\"vocab\":{\"a\":0,\"##b\":1,"
         "\"##c\":2,\"ab\":3,\"##bc\":4},\"merges\":[\"##b ##c\",\"a ##b\"]}"),
    FORM("{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":[[\"\",-1],[\"<unk>\",0],[\"a\",-2.1],[\"b\",-3.3],"
         "[\"ab\",-4.7],[\"c\",-1e-5],[\"ab\",-4.9],[\"a\\u0000b\",-9.25],[\"\\u4f60\",-7]]}"),
    // Of equal tokens the last has the id that an added token of their text must have.
    "{\"version\":\"1.0\",\"added_tokens\":[{\"id\":2,\"content\":\"ab\",\"single_word\":false,\"lstrip\":false,"
    "\"rstrip\":false,\"normalized\":false,\"special\":false}],\"model\":{\"type\":\"Unigram\",\"unk_id\":0,"
    "\"vocab\":[[\"a\",-1],[\"ab\",-2],[\"ab\",-3]]}}",
    FORM("{\"type\":\"WordPiece\",\"unk_token\":\"a\",\"continuing_subword_prefix\":\"\","
         "\"max_input_chars_per_word\":9,\"vocab\":{\"a\":0,\"b\":3,\"abc\":7}}"),
};
enum { FILES = sizeof files / sizeof *files };

static const char *const texts[] = {"the cats!", "abcab", "ab a bc A", "", "\xE4\xBD\xA0 abc x", "cba<x>aab"};
enum { TEXTS = sizeof texts / sizeof *texts };

struct packed_file {
    char *bytes;
    size_t size;
};

static struct packed_file packed_of(const char *json)
{
    struct packed_file packed;
    struct ga_error error;
    cr_assert_eq(ga_text_tokenizer_pack("t.json", json, strlen(json), NULL, 0, &packed.bytes, &packed.size, &error),
                 GA_OK, "%s", error.text);
    return packed;
}

static struct ga_text_tokenizer *opened(const char *bytes, size_t size)
{
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error;
    cr_assert_eq(ga_text_tokenizer_open_memory("t", bytes, size, &tokenizer, &error), GA_OK, "%s", error.text);
    return tokenizer;
}

// What text becomes, and what that is decoded to, as text; "refused" where it is.
static const char *described(const struct ga_text_tokenizer *tokenizer, const char *text, char told[1024])
{
    struct ga_text_context *context;
    struct ga_text_encoding encoding;
    struct ga_text_view view;
    struct ga_error error;
    cr_assert_eq(ga_text_context_open(tokenizer, &context), GA_OK);
    snprintf(told, 1024, "refused");
    if (ga_text_encode(context, text, strlen(text), NULL, 0, GA_TEXT_OFFSETS, &encoding, &error) == GA_OK) {
        size_t used = 0;
        for (size_t i = 0; i < encoding.count && used < 800; i++) {
            const struct ga_text_view token = encoding.tokens[i];
            used +=
                (size_t)snprintf(told + used, 1024 - used, "%d %u-%u %.*s ", encoding.ids[i], encoding.offsets[i].begin,
                                 encoding.offsets[i].end, (int)token.length, token.length ? token.bytes : "");
        }
        if (ga_text_decode(context, encoding.ids, encoding.count, false, &view, &error) == GA_OK) {
            snprintf(told + used, 1024 - used, ": %.*s", (int)(view.length < 100 ? view.length : 100), view.bytes);
        }
    }
    ga_text_context_close(context);
    return told;
}

Test(packed, gives_what_the_file_gives)
{
    char told[2][1024];
    for (size_t f = 0; f < FILES; f++) {
        const struct packed_file packed = packed_of(files[f]);
        struct ga_text_tokenizer *pair[] = {opened(files[f], strlen(files[f])), opened(packed.bytes, packed.size)};
        cr_expect_eq(ga_text_tokenizer_hash(pair[0]), ga_text_tokenizer_hash(pair[1]), "file %zu", f);
        cr_expect_eq(ga_text_tokenizer_ids(pair[0]), ga_text_tokenizer_ids(pair[1]), "file %zu", f);
        for (size_t t = 0; t < TEXTS; t++) {
            cr_expect_str_eq(described(pair[1], texts[t], told[1]), described(pair[0], texts[t], told[0]), "file %zu",
                             f);
        }
        ga_text_tokenizer_close(pair[0]);
        ga_text_tokenizer_close(pair[1]);
        free(packed.bytes);
    }
}

Test(packed, packs_to_the_same_bytes_again)
{
    for (size_t f = 0; f < FILES; f++) {
        const struct packed_file once = packed_of(files[f]);
        struct packed_file again;
        cr_assert_eq(ga_text_tokenizer_pack("t", once.bytes, once.size, NULL, 0, &again.bytes, &again.size, NULL),
                     GA_OK);
        cr_expect(again.size == once.size && memcmp(again.bytes, once.bytes, once.size) == 0, "file %zu", f);
        free(once.bytes);
        free(again.bytes);
    }
}

Test(packed, refuses_what_is_no_tokenizer)
{
    struct packed_file packed;
    struct ga_error error;
    cr_expect_eq(ga_text_tokenizer_pack("t.json", "{}", 2, NULL, 0, &packed.bytes, &packed.size, &error), GA_FORMAT);
    cr_expect(strstr(error.text, "t.json: version") || strstr(error.text, "version"), "%s", error.text);
    cr_expect_null(packed.bytes);
}

// Opens bytes[size] in memory of their own and, where they are taken, has them give ids.
static enum ga_status tried(const char *bytes, size_t size, struct ga_error *error)
{
    char told[1024];
    char *copy = malloc(size + 1);
    struct ga_text_tokenizer *tokenizer;
    cr_assert_not_null(copy);
    memcpy(copy, bytes, size);
    const enum ga_status status = ga_text_tokenizer_open_memory("t", copy, size, &tokenizer, error);
    free(copy);
    for (size_t t = 0; t < TEXTS && status == GA_OK; t++) {
        (void)described(tokenizer, texts[t], told);
    }
    ga_text_tokenizer_close(tokenizer);
    return status;
}

Test(packed, every_cut_is_refused)
{
    struct ga_error error;
    for (size_t f = 0; f < FILES; f++) {
        const struct packed_file packed = packed_of(files[f]);
        for (size_t size = 0; size < packed.size; size += size < 4096 ? 1 : 61) {
            error.text[0] = '\0';
            cr_expect_neq(tried(packed.bytes, size, &error), GA_OK, "file %zu, %zu bytes", f, size);
            cr_expect_neq(error.text[0], '\0');
        }
        free(packed.bytes);
    }
}

Test(packed, every_damaged_byte_is_refused_or_safe)
{
    static const unsigned char values[] = {0x00, 0x7F, 0x80, 0xFF};
    struct ga_error error;
    for (size_t f = 0; f < FILES; f++) {
        const struct packed_file packed = packed_of(files[f]);
        for (size_t at = 0; at < packed.size; at += at < 2048 ? 1 : 13) {
            const char before = packed.bytes[at];
            packed.bytes[at] = (char)values[at % sizeof values];
            (void)tried(packed.bytes, packed.size, &error);
            packed.bytes[at] = before;
        }
        free(packed.bytes);
    }
}

// -- What is refused ------------------------------------------------------------------------------------------------

enum { SIZES = 32, HEADER = SIZES + 8 * GA_TEXT_TABLES };

// Where a table begins.
static size_t place_of(const char *bytes, int kind)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t place = HEADER + (size_t)ga_read_u64(at + 24);
    for (int i = 0; i < kind; i++) {
        place += (size_t)ga_read_u64(at + SIZES + 8 * i);
    }
    return place;
}

Test(packed, tables_that_lie_are_refused_by_what_they_say)
{
    static const struct {
        size_t file;
        int kind; // -1: the header
        size_t at;
        uint32_t number;
        const char *said;
    } rows[] = {
        {0, -1, 8, 1, "version 1; expected version 2"},
        {0, -1, 12, 5, "another number of tables"},
        {0, -1, 24, 0x7FFFFFFF, "ends after it"},
        {0, -1, SIZES, 4, "belong to no table"},
        {0, GA_TEXT_TABLE_LENGTHS, 0, 0, "packed lengths of"},
        {0, GA_TEXT_TABLE_LENGTHS, 0, 5, "packed lengths of"},
        {0, GA_TEXT_TABLE_LENGTHS, 0, 0x6401, "of the lengths given with them"},
        {0, GA_TEXT_TABLE_LENGTHS, 4, UINT32_MAX, "of the lengths given with them"},
        {0, GA_TEXT_TABLE_TOKENS, 0, 0xFFFFFFFF, "not UTF-8"},
        {0, GA_TEXT_TABLE_TOKENS, 0, 0x80808080, "not UTF-8"},
        {0, GA_TEXT_TABLE_BEGINNINGS, 0, 0x010200, "which none has"},
        {0, GA_TEXT_TABLE_BEGINNINGS, 0, UINT32_MAX, "which none has"},
        {0, GA_TEXT_TABLE_BEGINNINGS, 3, UINT32_MAX, "leads out of itself"},
        {0, GA_TEXT_TABLE_BEGINNINGS, 3, 0x00010001, "leads out of itself"}, // two nodes of one base
        {0, GA_TEXT_TABLE_INSIDES, 3, UINT32_MAX, "leads out of itself"},
        {1, GA_TEXT_TABLE_MERGES, 0, 0, "packed merge 0 does not join"},
        {1, GA_TEXT_TABLE_MERGES, 16, 100, "packed merge 1 does not join"},
        {1, GA_TEXT_TABLE_MERGES, 8, 7, "packed merge 0 does not join"},
        {3, GA_TEXT_TABLE_SCORES, 4, 0x7FF00000, "infinite or no number"},
        {3, GA_TEXT_TABLE_LENGTHS, 0, 0x02060001, "packed scores"}, // the first id without a token,
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct packed_file packed = packed_of(files[rows[i].file]);
        const size_t begin = rows[i].kind < 0 ? 0 : place_of(packed.bytes, rows[i].kind);
        struct ga_error error;
        ga_write_u32((unsigned char *)packed.bytes + begin + rows[i].at, rows[i].number);
        const enum ga_status status = tried(packed.bytes, packed.size, &error);
        cr_expect_eq(status, i == 0 ? GA_UNSUPPORTED : GA_FORMAT, "row %zu: %d", i, (int)status);
        cr_expect(strstr(error.text, rows[i].said), "row %zu: %s", i, error.text);
        free(packed.bytes);
    }
}
