// test_added.c: added tokens of every model: beyond the vocabulary, in its gaps, in it. Ids, texts of tokens and
// decoded texts are those of the tokenizers package.
#include <criterion/criterion.h>

#include "subword_fixture.h"
#include "tokenizer.h"

#define TOKEN(id, content)                                                                                 \
    "{\"id\":" #id ",\"content\":\"" content "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false," \
    "\"normalized\":false,\"special\":false}"
// One that is white space, which takes the white space after it along; normalized: "true" or "false".
#define SPACE(id, content, rstrip, normalized)                                            \
    "{\"id\":" #id ",\"content\":\"" content "\",\"single_word\":false,\"lstrip\":false," \
    "\"rstrip\":" rstrip ",\"normalized\":" normalized ",\"special\":false}"
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

// -- White space -----------------------------------------------------------------------------------------------------

// Each token in what one before it strips is there again, from its own place on.
static const struct {
    const char *first, *first_normalized, *text, *ids, *offsets, *tokens;
} spaces[] = {
    {SPACE(4, "\\n", "true", "false"), SPACE(4, "\\n", "true", "true"), "a\n\n\nb", "1 4 4 4 2", "0-1 1-4 2-4 3-4 4-5",
     "a|\n\n\n|\n\n|\n|b|"},
    {SPACE(4, "\\n", "true", "false") "," SPACE(5, "\\t", "false", "false"),
     SPACE(4, "\\n", "true", "true") "," SPACE(5, "\\t", "false", "true"), "a\n\t\n\t\n b", "1 4 5 4 5 4 2",
     "0-1 1-7 2-3 3-7 4-5 5-7 7-8", "a|\n\t\n\t\n |\t|\n\t\n |\t|\n |b|"},
    {SPACE(4, "\\n\\n", "true", "false") "," SPACE(5, "\\t", "false", "false"),
     SPACE(4, "\\n\\n", "true", "true") "," SPACE(5, "\\t", "false", "true"), "\n\n\n\n\t \n\n\nb\n\n \n\n",
     "4 4 5 4 2 4 4", "0-9 2-9 4-5 6-9 9-10 10-15 13-15",
     "\n\n\n\n\t \n\n\n|\n\n\t \n\n\n|\t|\n\n\n|b|\n\n \n\n|\n\n|"},
};
enum { N_SPACES = sizeof spaces / sizeof *spaces };

static struct subword open_spaces(size_t row, bool normalized)
{
    return open_subword((struct subword_parts){
        .normalizer = normalized ? "{\"type\":\"Lowercase\"}" : NULL,
        .cuts = "{\"type\":\"WhitespaceSplit\"}",
        .model = WORDPIECE(FULL),
        .added = normalized ? spaces[row].first_normalized : spaces[row].first,
    });
}

// The text of each token of text, before a bar each.
static const char *texts_of(struct subword *opened)
{
    static char texts[256];
    size_t used = 0;
    for (size_t i = 0; i < opened->encoding.count; i++) {
        const struct ga_text_view token = opened->encoding.tokens[i];
        used += (size_t)snprintf(texts + used, sizeof texts - used, "%.*s|", (int)token.length, token.bytes);
    }
    return texts;
}

Test(added, white_space_that_strips_is_there_again)
{
    for (size_t i = 0; i < N_SPACES * 2; i++) {
        struct subword opened = open_spaces(i / 2, i % 2);
        const char *text = spaces[i / 2].text;
        cr_expect_str_eq(subword_ids(&opened, text), spaces[i / 2].ids, "row %zu", i);
        cr_expect_str_eq(subword_offsets(&opened, text), spaces[i / 2].offsets, "row %zu", i);
        cr_expect_str_eq(texts_of(&opened), spaces[i / 2].tokens, "row %zu: %s", i, texts_of(&opened));
        close_subword(&opened);
    }
}

// What a token stripped is not read again by those in it: here it is gone by then.
Test(added, white_space_is_read_once)
{
    for (size_t row = 0; row < 2; row++) {
        struct subword opened = open_spaces(row, false);
        char text[] = "\n\t\n\t\n\t    b";
        struct ga_text_added_search search = {0};
        struct ga_text_added_match match;
        size_t found = 0;
        for (; ga_text_added_find(&opened.tokenizer->added.raw, text, strlen(text), &search, &match); found++) {
            cr_expect(match.end == 10 || match.end == match.begin + 1, "row %zu: match %zu ends at %zu", row, found,
                      match.end);
            memset(text + 6, 'x', 4);
        }
        cr_expect_eq(found, row == 0 ? 3 : 6);
        close_subword(&opened);
    }
}

// Texts of tokens that overlap are kept once: they were more than 64 times a text of this length.
Test(added, texts_of_overlapping_tokens_are_kept_once)
{
    enum { LENGTH = 10000 };
    static char text[LENGTH];
    for (size_t row = 0; row < 2; row++) {
        struct subword opened = open_spaces(row, false);
        for (size_t i = 0; i < LENGTH; i++) {
            text[i] = i % 2 ? "\n\t"[row] : '\n';
        }
        const enum ga_status status =
            ga_text_encode(opened.context, text, LENGTH, NULL, 0, GA_TEXT_OFFSETS, &opened.encoding, &opened.error);
        cr_assert_eq(status, GA_OK, "%s", opened.error.text);
        cr_expect_eq(opened.encoding.count, LENGTH);
        cr_expect_eq(opened.encoding.tokens[0].length, LENGTH);
        cr_expect_eq(opened.context->sequences[0].surfaces.length, LENGTH);
        close_subword(&opened);
    }
}

// -- Special tokens --------------------------------------------------------------------------------------------------

#define SPECIAL(id, content)                                                                               \
    "{\"id\":" #id ",\"content\":\"" content "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false," \
    "\"normalized\":false,\"special\":true}"

// In any order of the file; a token that only begins as one does, or is not special, stays.
Test(added, decoding_leaves_special_tokens_out)
{
    struct subword opened = open_subword(
        (struct subword_parts){.model = WORDPIECE(FULL),
                               .added = SPECIAL(3, "c") "," SPECIAL(4, "<z>") "," TOKEN(5, "<z") "," SPECIAL(
                                   6, "<a>") "," TOKEN(7, "<m>") "," SPECIAL(8, "<zz>") "," TOKEN(9, "<a>>")});
    static const int32_t ids[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    cr_expect_str_eq(subword_text(&opened, ids, 10), "<a>> <m> <z b a u");
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
