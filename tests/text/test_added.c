// test_added.c: added tokens of every model: beyond the vocabulary, in its gaps, in it. Ids, texts of tokens and
// decoded texts are those of the tokenizers package.
#include <criterion/criterion.h>

#include "subword_fixture.h"

#define TOKEN(id, content)                                                                                 \
    "{\"id\":" #id ",\"content\":\"" content "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false," \
    "\"normalized\":false,\"special\":false}"
#define WORDPIECE(vocab)                                                                \
    "{\"type\":\"WordPiece\",\"unk_token\":\"u\",\"continuing_subword_prefix\":\"##\"," \
    "\"max_input_chars_per_word\":100,\"vocab\":" vocab "}"
#define BPE(vocab)                                                                               \
    "{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":\"u\",\"continuing_subword_prefix\":null," \
    "\"end_of_word_suffix\":null,\"fuse_unk\":false,\"byte_fallback\":false,\"vocab\":" vocab ",\"merges\":[]}"
#define UNIGRAM(vocab) "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab\":[" vocab "]}"

#define FULL "{\"u\":0,\"a\":1,\"b\":2,\"c\":3}"
#define GAP "{\"u\":0,\"a\":1,\"b\":2,\"c\":7}"
#define PIECES "[\"u\",0],[\"a\",-1],[\"b\",-2],[\"c\",-3]"

#define TEXT "a <x> b <y> c <z> d"

static const struct row {
    const char *model, *added;
    const char *ids, *tokens;
    size_t n_ids; // of the tokenizer
} rows[] = {
    {WORDPIECE(FULL), TOKEN(4, "<x>") "," TOKEN(5, "<y>"), "1 4 2 5 3 0 0", "a <x> b <y> c u u", 6},
    {BPE(FULL), TOKEN(4, "<x>") "," TOKEN(5, "<y>"), "1 4 2 5 3 0 0 0 0", "a <x> b <y> c u u u u", 6},
    {UNIGRAM(PIECES), TOKEN(4, "<x>") "," TOKEN(5, "<y>"), "1 4 2 5 3 0 0", "a <x> b <y> c <z> d", 6},
    // A piece that is there twice counts twice, and has the id of the last.
    {UNIGRAM(PIECES ",[\"a\",-4]"), TOKEN(5, "<x>") "," TOKEN(6, "<y>"), "4 5 2 6 3 0 0", "a <x> b <y> c <z> d", 7},
    {UNIGRAM(PIECES ",[\"a\",-4]"), TOKEN(4, "a") "," TOKEN(5, "<x>"), "4 5 2 0 3 0 0", "a <x> b <y> c <z> d", 6},
    // New ids begin at the number of tokens, gaps or not; a token that the vocabulary has counts for none.
    {WORDPIECE(GAP), TOKEN(4, "<x>") "," TOKEN(5, "<y>"), "1 4 2 5 7 0 0", "a <x> b <y> c u u", 8},
    {BPE(GAP), TOKEN(7, "c") "," TOKEN(4, "<x>"), "1 4 2 0 0 0 7 0 0 0 0", "a <x> b u u u c u u u u", 8},
    {WORDPIECE(GAP), TOKEN(4, "<x>") "," TOKEN(5, "<y>") "," TOKEN(7, "c") "," TOKEN(6, "<z>"), "1 4 2 5 7 6 0",
     "a <x> b <y> c <z> u", 8},
    // An id that the vocabulary has as well: the model's tokens keep their own text.
    {WORDPIECE(GAP), TOKEN(4, "<x>") "," TOKEN(5, "<y>") "," TOKEN(6, "<z>") "," TOKEN(7, "d"), "1 4 2 5 7 6 7",
     "a <x> b <y> c <z> d", 8},
};

static struct subword open_row(const struct row *row)
{
    return open_subword(
        (struct subword_parts){.cuts = "{\"type\":\"WhitespaceSplit\"}", .model = row->model, .added = row->added});
}

Test(added, has_the_ids_of_the_package)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subword opened = open_row(&rows[i]);
        cr_expect_str_eq(subword_ids(&opened, TEXT), rows[i].ids, "row %zu", i);
        cr_expect_eq(ga_text_tokenizer_ids(opened.tokenizer), rows[i].n_ids, "row %zu", i);
        close_subword(&opened);
    }
}

Test(added, leaves_the_texts_of_tokens)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subword opened = open_row(&rows[i]);
        char tokens[256] = "";
        size_t used = 0;
        subword_offsets(&opened, TEXT);
        for (size_t k = 0; k < opened.encoding.count; k++) {
            const struct ga_text_view token = opened.encoding.tokens[k];
            used += (size_t)snprintf(tokens + used, sizeof tokens - used, "%s%.*s", k ? " " : "", (int)token.length,
                                     token.bytes);
        }
        cr_expect_str_eq(tokens, rows[i].tokens, "row %zu: %s", i, tokens);
        close_subword(&opened);
    }
}

// Decoding has the added token of an id first.
Test(added, decodes_an_id_that_two_have_as_the_added_one)
{
    struct subword opened = open_row(&rows[sizeof rows / sizeof *rows - 1]);
    static const int32_t ids[] = {1, 4, 2, 5, 7, 6, 7};
    cr_assert_str_eq(subword_text(&opened, ids, 7), "a <x> b <y> d <z> d");
    close_subword(&opened);
}

Test(added, refuses_ids_that_the_package_would_not_give)
{
    static const struct {
        const char *model, *added, *says;
    } refused[] = {
        {UNIGRAM(PIECES), TOKEN(0, "<x>"), "added_tokens[0]: id: found 0, expected 4"},
        {UNIGRAM(PIECES), TOKEN(5, "<x>"), "added_tokens[0]: id: found 5, expected 4"},
        {BPE(GAP), TOKEN(8, "<x>"), "added_tokens[0]: id: found 8, expected 4"},
        {WORDPIECE(FULL), TOKEN(4, "<x>") "," TOKEN(4, "<y>"), "added_tokens[1]: id: found 4, expected 5"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct subword opened =
            try_subword((struct subword_parts){.model = refused[i].model, .added = refused[i].added});
        cr_expect_eq(opened.status, GA_FORMAT, "row %zu", i);
        cr_expect(strstr(opened.error.text, refused[i].says), "row %zu: %s", i, opened.error.text);
        close_subword(&opened);
    }
}
