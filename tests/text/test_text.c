// test_text.c: libga_text by a small tokenizer: ids, offsets, pairs, truncation, decoding, broken UTF-8, long texts.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "text_fixture.h"

// A tokenizer of the fixture, or of a changed one, and a context.
struct opened {
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    struct ga_text_encoding encoding;
    struct ga_error error;
};

static struct opened open_json(const char *json)
{
    struct opened opened = {0};
    cr_assert_eq(ga_text_tokenizer_open_memory("t.json", json, strlen(json), &opened.tokenizer, &opened.error), GA_OK,
                 "%s", opened.error.text);
    cr_assert_eq(ga_text_context_open(opened.tokenizer, &opened.context), GA_OK);
    return opened;
}

static void close_all(struct opened *opened)
{
    ga_text_context_close(opened->context);
    ga_text_tokenizer_close(opened->tokenizer);
}

// The ids as text: "2 4 3".
static const char *ids_of(struct opened *opened, const char *text, const char *pair, unsigned flags)
{
    static char ids[1024];
    size_t used = 0;
    const enum ga_status status = ga_text_encode(opened->context, text, strlen(text), pair, pair ? strlen(pair) : 0,
                                                 flags, &opened->encoding, &opened->error);
    cr_assert_eq(status, GA_OK, "%s", opened->error.text);
    ids[0] = '\0';
    for (size_t i = 0; i < opened->encoding.count; i++) {
        used += (size_t)snprintf(ids + used, sizeof ids - used, "%s%d", i ? " " : "", opened->encoding.ids[i]);
    }
    return ids;
}

Test(text, gives_ids)
{
    struct opened opened = open_json(fixture_json);
    cr_assert_str_eq(ids_of(&opened, "The CATS!", NULL, 0), "2 4 5 6 8 3");
    cr_assert_str_eq(ids_of(&opened, "The CATS!", NULL, GA_TEXT_NO_SPECIAL_TOKENS), "4 5 6 8");
    cr_assert_str_eq(ids_of(&opened, "", NULL, 0), "2 3");
    cr_assert_str_eq(ids_of(&opened, "cats dog  \xC3\xA1 \xE4\xBD\xA0the", NULL, 0), "2 5 6 1 7 10 4 3");
    cr_assert_str_eq(ids_of(&opened, "cat   <x>a[PAD]", NULL, 0), "2 5 11 7 0 3");
    cr_assert_str_eq(ids_of(&opened, "the cat", "a", 0), "4 5 3 7");
    cr_assert_eq(opened.encoding.type_ids[3], 1);
    cr_assert_eq(ga_text_tokenizer_ids(opened.tokenizer), 12);
    close_all(&opened);
}

// What is cached for chunks must not be what is computed of another place.
Test(text, gives_the_same_ids_again)
{
    struct opened opened = open_json(fixture_json);
    for (int round = 0; round < 3; round++) {
        cr_assert_str_eq(ids_of(&opened, "cats cats! a cats the", NULL, 0), "2 5 6 5 6 8 7 5 6 4 3");
        cr_assert_str_eq(ids_of(&opened, "cats cats! a cats the", NULL, GA_TEXT_OFFSETS), "2 5 6 5 6 8 7 5 6 4 3");
    }
    close_all(&opened);
}

Test(text, gives_offsets_in_characters)
{
    struct opened opened = open_json(fixture_json);
    ids_of(&opened, "\xC3\x81\x01  cats \xE4\xBD\xA0", NULL, GA_TEXT_OFFSETS);
    static const struct ga_text_offset expected[] = {{0, 0}, {0, 1}, {4, 7}, {7, 8}, {9, 10}, {0, 0}};
    cr_assert_eq(opened.encoding.count, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(opened.encoding.offsets[i].begin, expected[i].begin, "token %zu", i);
        cr_assert_eq(opened.encoding.offsets[i].end, expected[i].end, "token %zu", i);
        cr_assert_eq(opened.encoding.special[i], i == 0 || i == 5);
    }
    cr_assert_eq(opened.encoding.tokens[3].length, 3);
    cr_assert_eq(memcmp(opened.encoding.tokens[3].bytes, "##s", 3), 0);
    close_all(&opened);
}

Test(text, cuts_to_the_length_of_the_file)
{
    char json[FIXTURE_ROOM];
    struct opened opened = open_json(fixture_with(
        "\"truncation\":null",
        "\"truncation\":{\"direction\":\"Left\",\"max_length\":4,\"strategy\":\"LongestFirst\",\"stride\":0}", json));
    cr_assert_str_eq(ids_of(&opened, "a cats the", NULL, 0), "2 6 4 3");
    cr_assert_eq(opened.encoding.n_cut, 2);
    cr_assert_str_eq(ids_of(&opened, "a cats the", NULL, GA_TEXT_NO_TRUNCATION), "2 7 5 6 4 3");
    cr_assert_str_eq(ids_of(&opened, "a cats the", "the a cats", 0), "4 3 5 6");
    cr_assert_eq(ga_text_tokenizer_max_length(opened.tokenizer), 4);
    ga_text_context_set_limit(opened.context, 5);
    cr_assert_str_eq(ids_of(&opened, "a cats the", NULL, 0), "2 5 6 4 3");
    cr_assert_eq(opened.encoding.n_cut, 1);
    close_all(&opened);
}

Test(text, cuts_to_the_limit_of_a_context)
{
    struct opened opened = open_json(fixture_json);
    ga_text_context_set_limit(opened.context, 4);
    cr_assert_str_eq(ids_of(&opened, "a cats the", NULL, 0), "2 7 5 3");
    cr_assert_eq(opened.encoding.n_cut, 2);
    cr_assert_str_eq(ids_of(&opened, "a cat", NULL, 0), "2 7 5 3");
    cr_assert_eq(opened.encoding.n_cut, 0);
    ga_text_context_set_limit(opened.context, SIZE_MAX);
    cr_assert_str_eq(ids_of(&opened, "a cats the", NULL, 0), "2 7 5 6 4 3");
    close_all(&opened);
}

Test(text, says_which_byte_is_no_utf8)
{
    struct opened opened = open_json(fixture_json);
    static const struct broken {
        const char *text;
        unsigned offset;
        const char *replaced; // ids
    } broken[] = {
        {"a\xFF", 1, "7"},          {"cat \xC3(", 4, "5 1"},  {"\xED\xA0\x80", 0, ""},
        {"a \xF0\x9F\x98", 2, "7"}, {"12345678\x80", 8, "1"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const size_t length = strlen(broken[i].text);
        cr_assert_eq(
            ga_text_encode(opened.context, broken[i].text, length, NULL, 0, 0, &opened.encoding, &opened.error),
            GA_FORMAT);
        cr_assert_eq(opened.error.offset, broken[i].offset, "text %zu: %s", i, opened.error.text);
        cr_assert_str_eq(ids_of(&opened, broken[i].text, NULL, GA_TEXT_REPLACE_INVALID | GA_TEXT_NO_SPECIAL_TOKENS),
                         broken[i].replaced);
    }
    close_all(&opened);
}

Test(text, takes_a_megabyte_without_a_blank)
{
    enum { LONG = 1 << 20 };
    struct opened opened = open_json(fixture_json);
    char *text = malloc(LONG);
    cr_assert(text);
    memset(text, 'a', LONG);
    cr_assert_eq(ga_text_encode(opened.context, text, LONG, NULL, 0, GA_TEXT_OFFSETS, &opened.encoding, &opened.error),
                 GA_OK);
    cr_assert_eq(opened.encoding.count, 3);
    cr_assert_eq(opened.encoding.ids[1], 1);
    cr_assert_eq(opened.encoding.offsets[1].end, LONG);
    memset(text, '!', LONG);
    cr_assert_eq(ga_text_encode(opened.context, text, LONG, NULL, 0, 0, &opened.encoding, &opened.error), GA_OK);
    cr_assert_eq(opened.encoding.count, LONG + 2);
    free(text);
    close_all(&opened);
}

Test(text, decodes)
{
    struct opened opened = open_json(fixture_json);
    static const int32_t ids[] = {2, 4, 5, 6, 8, 11, 0, 500, -1};
    struct ga_text_view text;
    cr_assert_eq(ga_text_decode(opened.context, ids, 9, true, &text, &opened.error), GA_OK);
    cr_assert_eq(text.length, strlen("[CLS] the cats! <x>"));
    cr_assert_eq(memcmp(text.bytes, "[CLS] the cats! <x>", text.length), 0);
    cr_assert_eq(ga_text_decode(opened.context, ids, 0, true, &text, &opened.error), GA_OK);
    cr_assert_eq(text.length, 0);
    close_all(&opened);
}

// -- Files that are refused -------------------------------------------------------------------------------------------

// A change of the fixture, and what the message says of it.
static const struct malformed {
    const char *from, *to, *message;
} malformed[] = {
    {"\"1.0\"", "\"2.0\"", "version: found 2.0, expected 1.0"},
    {"\"BertNormalizer\"", "\"Nmt\"", "normalizer.type: found Nmt, expected a normalizer that is known"},
    {"\"BertPreTokenizer\"", "\"UnicodeScripts\"", "pre_tokenizer.pretokenizers[0].type: found UnicodeScripts"},
    {"\"TemplateProcessing\"", "\"Other\"", "post_processor.type: found Other"},
    {"\"decoder\":{\"type\":\"WordPiece\"", "\"decoder\":{\"type\":\"CTC\"", "decoder.type: found CTC"},
    {"\"model\":{\"type\":\"WordPiece\"", "\"model\":{\"type\":\"WordLevel\"", "model.type: found WordLevel"},
    {"\"lowercase\":true", "\"lowercase\":1", "normalizer.lowercase: found 1, expected true or false"},
    {"\"lowercase\":true", "\"lowercase\":true,\"new\":1", "normalizer: unknown field \"new\""},
    {"\"lowercase\":true", "\"type\":\"BertNormalizer\"", "duplicate object key"},
    {"\"clean_text\":true,", "", "normalizer.clean_text: found nothing, expected true or false"},
    {"\"cat\":5", "\"cat\":-5", "model.vocab: the id of \"cat\""},
    {"\"cat\":5", "\"cat\":4", "have the same id, 4"},
    {"\"cat\":5", "\"cat\":1e3", "model.vocab: the id of \"cat\""},
    {"\"cat\":5", "\"cat\":16000000", "model.vocab: the id of \"cat\""},
    {"\"max_input_chars_per_word\":100", "\"max_input_chars_per_word\":0", "model.max_input_chars_per_word"},
    {"\"id\":11,", "\"id\":12,", "added_tokens[1]: id: found 12, expected 11"},
    {"\"content\":\"<x>\"", "\"content\":\"\"", "added_tokens[1].content"},
    {"\"content\":\"<x>\"", "\"content\":\"[PAD]\"", "added_tokens[1]: id: found 11, expected 0"},
    {"\"ids\":[2]", "\"ids\":[2,3]", "as many ids as tokens"},
    {"\"ids\":[2]", "\"ids\":[-2]", "as many ids as tokens"},
    {"{\"id\":\"[CLS]\",\"type_id\":0}", "{\"id\":\"[XX]\",\"type_id\":0}", "post_processor.single[0].id: found [XX]"},
    {"\"Sequence\":{\"id\":\"A\"", "\"Sequence\":{\"id\":\"B\"", "post_processor.single[1].Sequence.id: found B"},
    {"\"truncation\":null", "\"truncation\":{\"max_length\":4,\"strategy\":\"Best\",\"stride\":0}",
     "truncation.strategy: found Best"},
    {"\"truncation\":null", "\"truncation\":{\"max_length\":4,\"strategy\":\"OnlyFirst\",\"stride\":4}",
     "truncation.stride"},
    {"}}}", "", "t.json: line 1"},
    {"\"\\u4f60\":10}}}", "\"\\u4f60\":10}}},1", "t.json: several values; expected one object"},
};

Test(text, refuses_what_it_does_not_know)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char json[FIXTURE_ROOM];
        struct ga_text_tokenizer *tokenizer;
        struct ga_error error;
        fixture_with(malformed[i].from, malformed[i].to, json);
        cr_assert_neq(ga_text_tokenizer_open_memory("t.json", json, strlen(json), &tokenizer, &error), GA_OK,
                      "change %zu is taken", i);
        cr_assert_null(tokenizer);
        cr_assert(strstr(error.text, malformed[i].message), "change %zu: \"%s\", expected \"%s\"", i, error.text,
                  malformed[i].message);
    }
}

// jansson takes stack for each object and array in another.
Test(text, nesting_has_a_limit)
{
    char json[FIXTURE_ROOM], nested[160];
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error;
    for (int arrays = 62; arrays <= 63; arrays++) { // in two objects
        snprintf(nested, sizeof nested, "\"padding\":{\"]\\\"[\":");
        const size_t begin = strlen(nested);
        memset(nested + begin, '[', (size_t)arrays);
        memset(nested + begin + arrays, ']', (size_t)arrays);
        memcpy(nested + begin + 2 * arrays, ",", 2);
        fixture_with("\"padding\":{", nested, json);
        const enum ga_status found = ga_text_tokenizer_open_memory("t.json", json, strlen(json), &tokenizer, &error);
        cr_expect_eq(found, arrays == 62 ? GA_OK : GA_FORMAT, "%d: %s", arrays, error.text);
        cr_expect(found == GA_OK || strstr(error.text, "nested 65 deep; expected at most 64"), "%s", error.text);
        ga_text_tokenizer_close(tokenizer);
    }
}

Test(text, says_what_is_wrong_with_a_path)
{
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error;
    cr_assert_eq(ga_text_tokenizer_open("/nowhere/tokenizer.json", &tokenizer, &error), GA_IO);
    cr_assert(strstr(error.text, "/nowhere/tokenizer.json"));
}

// The numbers are those of generator/base/hash.lua, of lengths that leave 0, 1 and 2 of three bytes.
Test(text, hashes_files_as_the_generator_does)
{
    static const struct {
        int blanks;
        uint64_t hash;
    } rows[] = {{0, 0x655cab740ba40541}, {1, 0x44ad4a3634d212d3}, {2, 0x23fdc9185e000085}, {6000, 0x1913101304ecf513}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2 * FIXTURE_ROOM];
        snprintf(text, sizeof text, "%s%*s", fixture_json, rows[i].blanks, "");
        struct opened opened = open_json(text);
        cr_expect_eq(ga_text_tokenizer_hash(opened.tokenizer), rows[i].hash, "%d blanks", rows[i].blanks);
        close_all(&opened);
    }
}

Test(text, reads_the_hash_that_a_spec_records)
{
    static const struct {
        const char *spec;
        bool found;
        uint64_t hash;
    } rows[] = {
        {"return {\n  n_layers = 1,\n  tokenizer = \"0123456789abcdef\",\n}\n", true, 0x0123456789abcdef},
        {"return {\n  n_layers = 1,\n}\n", false, 0},
        {"return {\n  weights_prefix = \"tokenizer = \",\n}\n", false, 0},
        {"return {\n  tokenizer = \"0123\",\n}\n", false, 0x0123},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t hash;
        cr_expect_eq(ga_text_recorded_hash(rows[i].spec, &hash), rows[i].found, "%s", rows[i].spec);
        cr_expect_eq(hash, rows[i].hash, "%s", rows[i].spec);
    }
}

Test(text, says_when_a_word_needs_the_unknown_token)
{
    char json[FIXTURE_ROOM];
    struct opened opened = open_json(fixture_with("\"unk_token\":\"[UNK]\"", "\"unk_token\":\"[none]\"", json));
    cr_assert_eq(ga_text_encode(opened.context, "dog", 3, NULL, 0, 0, &opened.encoding, &opened.error), GA_FORMAT);
    cr_assert(strstr(opened.error.text, "unk_token"));
    close_all(&opened);
}
