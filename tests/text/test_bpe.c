// test_bpe.c: the model BPE by small vocabularies: merges by rank, what is unknown, bytes, affixes, long pieces, and
// what is refused. The values are those of the tokenizers package.
#include "subword_fixture.h"

#define BYTE_LEVEL "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":true}"
#define BYTE_FALLBACK "{\"type\":\"ByteFallback\"}"

// U+0120 is how the byte-level alphabet spells a space.
#define WORDS                                                                                                \
    "\"vocab\":{\"a\":0,\"b\":1,\"c\":2,\"\\u0120\":3,\"ab\":4,\"bc\":5,\"\\u0120ab\":6,\"abc\":7,\"aa\":8," \
    "\"<unk>\":9,\"\\u0120a\":10,\"ca\":11},\"merges\":[\"b c\",\"a b\",[\"\\u0120\",\"ab\"],\"a bc\",\"a "  \
    "a\",\"\\u0120 a\"]"

static struct subword open_words(const char *more)
{
    char model[1024];
    snprintf(model, sizeof(model), "{\"type\":\"BPE\",%s%s}", more, WORDS);
    return open_subword((struct subword_parts){.cuts = BYTE_LEVEL, .decoder = BYTE_LEVEL, .model = model});
}

Test(bpe, merges_by_rank_then_from_the_left)
{
    struct subword opened = open_words("");
    cr_assert_str_eq(subword_ids(&opened, "abc"), "7");       // b c has the lowest rank, then a bc
    cr_assert_str_eq(subword_ids(&opened, "ab ab"), "4 6");   // a b, then the space and ab
    cr_assert_str_eq(subword_ids(&opened, "aaaaa"), "8 8 0"); // from the left
    cr_assert_str_eq(subword_ids(&opened, " aab"), "10 4");
    cr_assert_str_eq(subword_ids(&opened, "ca"), "2 0"); // no merge makes this token
    cr_assert_str_eq(subword_ids(&opened, ""), "");
    cr_assert_str_eq(subword_offsets(&opened, "ab ab aa"), "0-2 2-5 5-6 6-8");
    static const int32_t ids[] = {4, 6, 7};
    cr_assert_str_eq(subword_text(&opened, ids, 3), "ab ababc");
    close_subword(&opened);
}

Test(bpe, gives_no_tokens_for_a_first_text_without_any)
{
    struct subword opened = open_words("");
    cr_assert_str_eq(subword_ids(&opened, "xy"), "");
    cr_assert_str_eq(subword_ids(&opened, "xyab"), "4");
    close_subword(&opened);
}

Test(bpe, gives_a_piece_that_is_a_token_where_merges_are_ignored)
{
    struct subword opened = open_words("\"ignore_merges\":true,");
    cr_assert_str_eq(subword_ids(&opened, "ca"), "11");
    cr_assert_str_eq(subword_ids(&opened, "caab"), "2 0 4");
    close_subword(&opened);
}

Test(bpe, leaves_out_or_marks_what_is_unknown)
{
    struct subword opened = open_words("");
    cr_assert_str_eq(subword_ids(&opened, "axyb"), "4"); // left out: what is around it merges
    close_subword(&opened);
    opened = open_words("\"unk_token\":\"<unk>\",");
    cr_assert_str_eq(subword_ids(&opened, "axyb"), "0 9 9 1");
    close_subword(&opened);
    opened = open_words("\"unk_token\":\"<unk>\",\"fuse_unk\":true,");
    cr_assert_str_eq(subword_ids(&opened, "axyb"), "0 9 1");
    close_subword(&opened);
    opened = open_words("\"unk_token\":\"none\",");
    cr_assert_str_eq(subword_ids(&opened, "ab"), "4");
    cr_assert_str_eq(subword_ids(&opened, "x"), "refused");
    cr_assert_eq(opened.status, GA_FORMAT);
    close_subword(&opened);
}

Test(bpe, gives_bytes_for_what_is_unknown)
{
    struct subword opened = open_subword((struct subword_parts){
        .decoder = BYTE_FALLBACK,
        .model = "{\"type\":\"BPE\",\"byte_fallback\":true,\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0,\"<0xC3>\":1,"
                 "\"<0xA9>\":2,\"a\":3},\"merges\":[]}"});
    cr_assert_str_eq(subword_ids(&opened, "a\xC3\xA9"), "3 1 2");
    cr_assert_str_eq(subword_offsets(&opened, "a\xC3\xA9"), "0-1 1-2 1-2");
    cr_assert_str_eq(subword_ids(&opened, "\xC3\xA8"), "0"); // one of its bytes is no token
    static const int32_t ids[] = {3, 1, 2, 1, 3};
    cr_assert_str_eq(subword_text(&opened, ids, 5), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                                    "a");
    cr_assert_str_eq(subword_text(&opened, ids, 3), "a\xC3\xA9");
    close_subword(&opened);
}

Test(bpe, knows_prefixes_and_suffixes)
{
    struct subword opened = open_subword((struct subword_parts){
        .decoder = "{\"type\":\"BPEDecoder\",\"suffix\":\"</w>\"}",
        .model = "{\"type\":\"BPE\",\"continuing_subword_prefix\":\"##\",\"end_of_word_suffix\":\"</w>\",\"vocab\":"
                 "{\"a\":0,\"##b\":1,\"##c</w>\":2,\"ab\":3,\"abc</w>\":4,\"a</w>\":5},\"merges\":[\"a ##b\","
                 "\"ab ##c</w>\"]}"});
    cr_assert_str_eq(subword_ids(&opened, "abc"), "4");
    cr_assert_str_eq(subword_ids(&opened, "a"), "5");
    static const int32_t ids[] = {4, 5, 4};
    cr_assert_str_eq(subword_text(&opened, ids, 3), "abc a abc");
    close_subword(&opened);
}

// Marks of words that no merge joins to what is before them, and one that a merge does.
Test(bpe, cuts_at_marks_only_where_no_merge_is)
{
    static const char form[] = "{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"\\u2581\":1,\"\\u2581a\":2,\"\\u2581\\u2581\":3,"
                               "\"a\\u2581\":4},\"merges\":[\"\\u2581 a\",\"\\u2581 \\u2581\"%s]}";
    char model[512];
    snprintf(model, sizeof(model), form, "");
    struct subword opened = open_subword((struct subword_parts){.model = model});
    cr_assert_str_eq(subword_ids(&opened, "a\u2581a\u2581\u2581\u2581a\u2581"), "0 2 3 2 1");
    close_subword(&opened);
    snprintf(model, sizeof(model), form, ",\"a \\u2581\"");
    opened = open_subword((struct subword_parts){.model = model});
    cr_assert_str_eq(subword_ids(&opened, "aa\u2581"), "0 4");
    close_subword(&opened);
}

Test(bpe, takes_a_piece_of_a_megabyte)
{
    enum { LENGTH = 1 << 20 };
    struct subword opened = open_words("");
    char *text = malloc(LENGTH);
    cr_assert_not_null(text);
    memset(text, 'a', LENGTH);
    cr_assert_eq(ga_text_encode(opened.context, text, LENGTH, NULL, 0, 0, &opened.encoding, &opened.error), GA_OK);
    cr_assert_eq(opened.encoding.count, LENGTH / 2);
    cr_assert_eq(opened.encoding.ids[LENGTH / 2 - 1], 8);
    free(text);
    close_subword(&opened);
}

// Many symbols are merged by a heap, few by looking through them: both must be alike.
Test(bpe, merges_many_symbols_as_few)
{
    struct subword opened = open_subword((struct subword_parts){
        .model =
            "{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"ba\":3,\"abab\":4,\"aab\":5},\"merges\":[\"a b\","
            "\"b a\",\"ab ab\",\"a ab\"]}"});
    char text[400] = "";
    for (int i = 0; i < 30; i++) {
        strcat(text, "abababaab");
    }
    cr_assert_eq(ga_text_encode(opened.context, text, strlen(text), NULL, 0, 0, &opened.encoding, &opened.error),
                 GA_OK);
    cr_assert_eq(opened.encoding.count, 90);
    for (size_t i = 3; i < 87; i++) {
        cr_assert_eq(opened.encoding.ids[i], i % 3 == 2 ? 0 : 4, "token %zu", i);
    }
    cr_assert_eq(opened.encoding.ids[89], 5);
    close_subword(&opened);
}

Test(bpe, refuses_by_name)
{
    static const struct {
        const char *model, *says;
    } refused[] = {
        {"{\"type\":\"BPE\",\"dropout\":0.5,\"vocab\":{},\"merges\":[]}", "dropout"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a a\"]}", "merges[0]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"aa\":1},\"merges\":[\"a a\",\"a b\"]}", "merges[1]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"aa\":1},\"merges\":[\"a a\",\"a a a\"]}", "merges[1]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"aa\":1},\"merges\":[[\"a\"]]}", "merges[0]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"aa\":1},\"merges\":[7]}", "merges[0]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"\":1},\"merges\":[[\"a\",\"\"]]}", "merges[0]"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]}", "vocab"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":-1},\"merges\":[]}", "vocab"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0}}", "merges"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[],\"colour\":1}", "colour"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct subword opened = try_subword((struct subword_parts){.model = refused[i].model});
        cr_assert_eq(opened.status, GA_FORMAT, "%s", refused[i].model);
        cr_assert_not_null(strstr(opened.error.text, refused[i].says), "%s", opened.error.text);
        close_subword(&opened);
    }
}
