// test_unigram.c: the model Unigram, Metaspace and Precompiled by small vocabularies and maps, and what is refused. The
// values are those of the tokenizers package.
#include "models/score.h"
#include "subword_fixture.h"

#define METASPACE(scheme) "{\"type\":\"Metaspace\",\"replacement\":\"\\u2581\",\"prepend_scheme\":\"" scheme "\"}"
#define VOCABULARY                                                                                            \
    "[[\"<unk>\",0],[\"\\u2581\",-2.5],[\"a\",-1],[\"b\",-1.5],[\"ab\",-2],[\"\\u2581ab\",-1.25],[\"c\",-3]," \
    "[\"<0xC3>\",-9],[\"<0xA9>\",-9]]"
#define MODEL(more) "{\"type\":\"Unigram\",\"unk_id\":0," more "\"vocab\":" VOCABULARY "}"

Test(unigram, gives_the_path_of_the_highest_score)
{
    struct subword opened = open_subword(
        (struct subword_parts){.cuts = METASPACE("always"), .decoder = METASPACE("always"), .model = MODEL("")});
    cr_assert_str_eq(subword_ids(&opened, "ab ab"), "5 5");
    cr_assert_str_eq(subword_ids(&opened, "cab b"), "1 6 4 1 3");
    cr_assert_str_eq(subword_offsets(&opened, "cab b"), "0-1 0-1 1-3 3-4 4-5");
    cr_assert_str_eq(subword_ids(&opened, ""), "");
    static const int32_t ids[] = {5, 1, 2, 3};
    cr_assert_str_eq(subword_text(&opened, ids, 4), "ab ab");
    close_subword(&opened);
}

Test(unigram, joins_what_is_unknown)
{
    struct subword opened = open_subword((struct subword_parts){.model = MODEL("")});
    cr_assert_str_eq(subword_ids(&opened, "axyzb"), "2 0 3");
    cr_assert_str_eq(subword_offsets(&opened, "ax\xC3\xA9zb"), "0-1 1-4 4-5");
    cr_assert_eq(opened.encoding.tokens[1].length, 4);
    cr_assert_eq(memcmp(opened.encoding.tokens[1].bytes, "x\xC3\xA9z", 4), 0);
    close_subword(&opened);
    opened = open_subword((struct subword_parts){.model = MODEL("\"byte_fallback\":true,")});
    cr_assert_str_eq(subword_ids(&opened, "a\xC3\xA9"), "2 7 8");
    cr_assert_str_eq(subword_offsets(&opened, "a\xC3\xA9"), "0-1 1-2 1-2");
    cr_assert_str_eq(subword_ids(&opened, "\xC3\xA9x"), "0"); // together: the x is no byte token
    close_subword(&opened);
}

Test(unigram, needs_a_token_for_what_is_unknown_only_then)
{
    struct subword opened =
        open_subword((struct subword_parts){.model = "{\"type\":\"Unigram\",\"unk_id\":null,\"vocab\":[[\"a\",-1]]}"});
    cr_assert_str_eq(subword_ids(&opened, "aa"), "0 0");
    cr_assert_str_eq(subword_ids(&opened, "ab"), "refused");
    cr_assert_eq(opened.status, GA_FORMAT);
    close_subword(&opened);
}

Test(unigram, reads_scores_as_the_package_does)
{
    cr_assert_eq(ga_text_score(-7.2849884033203125), -7.284988403320312);
    cr_assert_eq(ga_text_score(-7.3619890213012695), -7.361989021301269);
    cr_assert_eq(ga_text_score(-11.262845039367676), -11.262845039367676);
    cr_assert_eq(ga_text_score(0.1), 0.1);
    cr_assert_eq(ga_text_score(-3), -3);
    cr_assert_eq(ga_text_score(0), 0);
    cr_assert_eq(ga_text_score(-3.3857981824886155e+234), -3.385798182488616e+234);
}

Test(unigram, takes_a_piece_of_a_megabyte)
{
    enum { LENGTH = 1 << 20 };
    struct subword opened = open_subword((struct subword_parts){.cuts = METASPACE("never"), .model = MODEL("")});
    char *text = malloc(LENGTH);
    cr_assert_not_null(text);
    memset(text, 'a', LENGTH);
    cr_assert_eq(ga_text_encode(opened.context, text, LENGTH, NULL, 0, 0, &opened.encoding, &opened.error), GA_OK);
    cr_assert_eq(opened.encoding.count, LENGTH);
    free(text);
    close_subword(&opened);
}

Test(unigram, refuses_by_name)
{
    static const struct {
        const char *model, *says;
    } refused[] = {
        {"{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":[[\"a\",0]]}", "unk_id"},
        {"{\"type\":\"Unigram\",\"unk_id\":-1,\"vocab\":[[\"a\",0]]}", "unk_id"},
        {"{\"type\":\"Unigram\",\"unk_id\":\"a\",\"vocab\":[[\"a\",0]]}", "unk_id"},
        {"{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"a\",0],[\"b\"]]}", "vocab[1]"},
        {"{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[0,\"a\"]]}", "vocab[0]"},
        {"{\"type\":\"Unigram\",\"unk_id\":0}", "vocab"},
        {"{\"type\":\"Unigram\",\"vocab\":[],\"alpha\":1}", "alpha"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct subword opened = try_subword((struct subword_parts){.model = refused[i].model});
        cr_assert_eq(opened.status, GA_FORMAT, "%s", refused[i].model);
        cr_assert_not_null(strstr(opened.error.text, refused[i].says), "%s", opened.error.text);
        close_subword(&opened);
    }
}
