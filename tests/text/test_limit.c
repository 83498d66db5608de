// test_limit.c: texts and pairs that a context cuts to a length: the longer text gives way, whatever strategy the file
// has, at the end that its direction names. The ids are those of transformers, which gives all three strategies the
// same ones.
#include <criterion/criterion.h>

#include "text_fixture.h"

#define LONG "a cats the ! a the"
#define SHORT "the a ! cats"

static const struct row {
    const char *text, *pair; // pair NULL: none
    size_t limit;
    const char *right, *left; // ids that are left where the file's direction is "Right" and "Left"
} rows[] = {
    {LONG, NULL, 4, "2 7 5 3", "2 7 4 3"},
    {LONG, NULL, 5, "2 7 5 6 3", "2 8 7 4 3"},
    {LONG, NULL, 9, "2 7 5 6 4 8 7 4 3", "2 7 5 6 4 8 7 4 3"},
    {LONG, SHORT, 4, "7 5 3 4", "7 4 3 6"},
    {LONG, SHORT, 5, "7 5 3 4 7", "7 4 3 5 6"},
    {LONG, SHORT, 6, "7 5 6 3 4 7", "8 7 4 3 5 6"},
    {LONG, SHORT, 9, "7 5 6 4 3 4 7 8 5", "4 8 7 4 3 7 8 5 6"},
    {SHORT, LONG, 4, "4 3 7 5", "6 3 7 4"},
    {SHORT, LONG, 9, "4 7 8 5 3 7 5 6 4", "7 8 5 6 3 4 8 7 4"},
    {LONG, "a", 4, "7 5 3 7", "7 4 3 7"},
    {LONG, "a", 6, "7 5 6 4 3 7", "4 8 7 4 3 7"},
    {"a", LONG, 4, "7 3 7 5", "7 3 7 4"},
    {"a", LONG, 9, "7 3 7 5 6 4 8 7 4", "7 3 7 5 6 4 8 7 4"},
};

static void expect_ids(const struct ga_text_encoding *encoding, const char *ids, const char *strategy, size_t row)
{
    char found[256] = "";
    for (size_t i = 0, used = 0; i < encoding->count; i++) {
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%d", i ? " " : "", encoding->ids[i]);
    }
    cr_expect_str_eq(found, ids, "%s, row %zu: %s, expected %s", strategy, row, found, ids);
}

static void check_rows(const char *strategy, bool from_left)
{
    char json[FIXTURE_ROOM], truncation[128];
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    struct ga_error error;
    snprintf(truncation, sizeof truncation,
             "\"truncation\":{\"direction\":\"%s\",\"max_length\":3,\"strategy\":\"%s\",\"stride\":0}",
             from_left ? "Left" : "Right", strategy);
    fixture_with("\"truncation\":null", truncation, json);
    cr_assert_eq(ga_text_tokenizer_open_memory("t.json", json, strlen(json), &tokenizer, &error), GA_OK);
    cr_assert_eq(ga_text_context_open(tokenizer, &context), GA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_text_encoding encoding;
        const struct row *row = &rows[i];
        ga_text_context_set_limit(context, row->limit);
        cr_assert_eq(ga_text_encode(context, row->text, strlen(row->text), row->pair, row->pair ? strlen(row->pair) : 0,
                                    0, &encoding, &error),
                     GA_OK, "%s, row %zu: %s", strategy, i, error.text);
        expect_ids(&encoding, from_left ? row->left : row->right, strategy, i);
    }
    ga_text_context_close(context);
    ga_text_tokenizer_close(tokenizer);
}

Test(limit, cuts_the_longer_text_whatever_the_file_says)
{
    static const char *const strategies[] = {"LongestFirst", "OnlyFirst", "OnlySecond"};
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        check_rows(strategies[i], false);
        check_rows(strategies[i], true);
    }
}

// Without a limit the file's own strategy is obeyed, or says that it cannot be.
Test(limit, leaves_the_strategy_of_the_file_to_the_file)
{
    char json[FIXTURE_ROOM];
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
    struct ga_text_encoding encoding;
    struct ga_error error;
    fixture_with("\"truncation\":null", "\"truncation\":{\"max_length\":5,\"strategy\":\"OnlySecond\",\"stride\":0}",
                 json);
    cr_assert_eq(ga_text_tokenizer_open_memory("t.json", json, strlen(json), &tokenizer, &error), GA_OK);
    cr_assert_eq(ga_text_context_open(tokenizer, &context), GA_OK);
    cr_assert_eq(ga_text_encode(context, "a cat a", 7, "the a !", 7, 0, &encoding, &error), GA_OK);
    expect_ids(&encoding, "7 5 7 3 4", "OnlySecond", 0);
    cr_assert_eq(ga_text_encode(context, "a cat a the", 11, NULL, 0, 0, &encoding, &error), GA_FORMAT);
    cr_assert(strstr(error.text, "the second text alone"), "%s", error.text);
    ga_text_context_close(context);
    ga_text_tokenizer_close(tokenizer);
}
