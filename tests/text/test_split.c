// test_split.c: the scanners of known expressions, Split with its behaviours, and what ByteLevel's decoder makes of
// bytes. The values are those of the tokenizers package.
#include "subword_fixture.h"

#define MODEL                                                                                                       \
    "{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true,\"vocab\":{\"?\":0,\"a\":1,\"-\":2,\"--\":3,\"a-\":4," \
    "\"-a\":5,\"aa\":6},\"merges\":[\"- -\",\"a -\",\"- a\",\"a a\"]}"

// Every character but '?' is unknown, so that a piece is one token.
#define PIECES "{\"type\":\"BPE\",\"unk_token\":\"?\",\"fuse_unk\":true,\"vocab\":{\"?\":0},\"merges\":[]}"

// With each backslash twice, as the JSON has it.
#define WORDS_BEGIN "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|"
#define WORDS_END "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

static size_t byte_of(const char *text, size_t character)
{
    size_t at = 0;
    for (; character > 0; character--) {
        do {
            at++;
        } while ((text[at] & 0xC0) == 0x80);
    }
    return at;
}

// The pieces that an expression cuts text into, with '|' between them.
static const char *scan(const char *expression, const char *text)
{
    static char cut[256];
    char cuts[512];
    snprintf(cuts, sizeof(cuts),
             "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"%s\"},\"behavior\":\"Isolated\",\"invert\":false}",
             expression);
    struct subword opened = open_subword((struct subword_parts){.cuts = cuts, .model = PIECES});
    subword_offsets(&opened, text);
    size_t used = 0;
    cut[0] = '\0';
    for (size_t i = 0; i < opened.encoding.count; i++) {
        const size_t begin = byte_of(text, opened.encoding.offsets[i].begin);
        const size_t end = byte_of(text, opened.encoding.offsets[i].end);
        used += (size_t)snprintf(cut + used, sizeof(cut) - used, "%s%.*s", i == 0 ? "" : "|", (int)(end - begin),
                                 text + begin);
    }
    close_subword(&opened);
    return cut;
}

Test(split, scans_as_gpt2_does)
{
    static const char gpt2[] =
        "'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|"
        "\\\\s+";
    cr_assert_str_eq(scan(gpt2, "I'll go, 12x  now\n\n y 's'S "), "I|'ll| go|,| 12|x| | now|\n\n| y| '|s|'|S| ");
    cr_assert_str_eq(scan(gpt2, "\xC3\xA9t\xC3\xA9\xC2\xB2 \xE4\xBD\xA0\xE3\x80\x80\xE3\x80\x80!"),
                     "\xC3\xA9t\xC3\xA9|\xC2\xB2| \xE4\xBD\xA0|\xE3\x80\x80|\xE3\x80\x80|!");
    cr_assert_str_eq(scan(gpt2, "\t\ta 'r'"), "\t|\t|a| '|r|'");
}

Test(split, scans_as_llama3_and_qwen2_do)
{
    static const char llama3[] = WORDS_BEGIN "\\\\p{N}{1,3}" WORDS_END, qwen2[] = WORDS_BEGIN "\\\\p{N}" WORDS_END;
    cr_assert_str_eq(scan(llama3, "I'LL go 1234 (x) \n\n y"), "I|'LL| go| |123|4| (|x|)| \n\n| y");
    cr_assert_str_eq(scan(qwen2, "it'S 12.\r\n  z"), "it|'S| |1|2|.\r\n| | z");
    cr_assert_str_eq(scan(llama3, "'\xC5\xBF"), "'\xC5\xBF"); // U+017F is a small s
    cr_assert_str_eq(scan(llama3, "\t\tx !\n\n"), "\t|\tx| !\n\n");
}

static const char *split_ids(const char *pattern, const char *behaviour, const char *invert, const char *text)
{
    static char ids[1024];
    char cuts[256];
    snprintf(cuts, sizeof(cuts), "{\"type\":\"Split\",\"pattern\":%s,\"behavior\":\"%s\",\"invert\":%s}", pattern,
             behaviour, invert);
    struct subword opened = open_subword((struct subword_parts){.cuts = cuts, .model = MODEL});
    snprintf(ids, sizeof(ids), "%s", subword_ids(&opened, text));
    close_subword(&opened);
    return ids;
}

Test(split, has_five_behaviours)
{
    static const char hyphen[] = "{\"String\":\"-\"}", many[] = "{\"Regex\":\"-+\"}";
    cr_assert_str_eq(split_ids(hyphen, "Removed", "false", "a--aa"), "1 6");
    cr_assert_str_eq(split_ids(hyphen, "Isolated", "false", "a--aa"), "1 2 2 6");
    cr_assert_str_eq(split_ids(hyphen, "MergedWithPrevious", "false", "a--aa"), "4 2 6");
    cr_assert_str_eq(split_ids(hyphen, "MergedWithNext", "false", "a--aa"), "1 2 5 1");
    cr_assert_str_eq(split_ids(hyphen, "Contiguous", "false", "a--aa"), "1 3 6");
    cr_assert_str_eq(split_ids(hyphen, "Removed", "true", "a--aa"), "2 2");
    cr_assert_str_eq(split_ids(many, "Isolated", "false", "a--aa"), "1 3 6");
}

Test(split, reads_expressions_as_the_package_does)
{
    cr_assert_str_eq(scan("\\\\h", "a-gf"), "a|-g|f");   // a digit of base 16
    cr_assert_str_eq(scan("^a", "aa\naa"), "a|a\n|a|a"); // of a line
    cr_assert_str_eq(scan("a{,1}-", "aa-a"), "a|a-|a");
    cr_assert_str_eq(scan("\\\\s", "a\xE1\xA0\x8E b"), "a\xE1\xA0\x8E| |b"); // U+180E is no space
    cr_assert_str_eq(scan("\\\\w+", "a\xC2\xBD-"), "a\xC2\xBD|-");
    cr_assert_str_eq(scan("[\\\\w]+", "a\xC2\xBD-"), "a|\xC2\xBD-"); // a half, but in a class
    cr_assert_str_eq(scan("\\\\p{Han}", "a\xE3\x80\x81\xE4\xBD\xA0"), "a\xE3\x80\x81|\xE4\xBD\xA0");
}

Test(split, refuses_expressions_that_it_cannot_say)
{
    static const char *const patterns[] = {"[a&&b]", "[a[bc]]",     "[\\\\W]", "\\\\Qa",
                                           "a{2}+",  "[[:graph:]]", "[]a]",    "(?s:.)"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char cuts[200];
        snprintf(cuts, sizeof cuts,
                 "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"%s\"},\"behavior\":\"Isolated\",\"invert\":false}",
                 patterns[i]);
        const struct subword opened = try_subword((struct subword_parts){.cuts = cuts, .model = MODEL});
        cr_assert_eq(opened.status, GA_FORMAT, "%s", patterns[i]);
        cr_assert_not_null(strstr(opened.error.text, "pre_tokenizer"), "%s", opened.error.text);
    }
}

Test(split, refuses_a_pattern_that_never_ends)
{
    struct subword opened = open_subword((struct subword_parts){
        .cuts = "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(a+)+$\"},\"behavior\":\"Isolated\",\"invert\":false}",
        .model = MODEL});
    char text[5001];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 2] = '-';
    text[sizeof(text) - 1] = '\0';
    opened.status = ga_text_encode(opened.context, text, sizeof(text) - 1, NULL, 0, 0, &opened.encoding, &opened.error);
    cr_assert_eq(opened.status, GA_FORMAT);
    close_subword(&opened);
}

Test(split, decodes_bytes_that_are_no_text)
{
    struct subword opened = open_subword((struct subword_parts){
        .decoder = "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true}",
        .model = "{\"type\":\"BPE\",\"vocab\":{\"\\u00e2\":0,\"\\u0124\":1,\"\\u00ac\":2,\"a\":3,\"\\u0120\":4,"
                 "\"\\u00ff\":5,"
                 "\"\\u4f60\":6},\"merges\":[]}"});
    static const int32_t whole[] = {0, 1, 2, 4, 6, 3}, cut_short[] = {0, 1, 3, 5, 5, 2};
    cr_assert_str_eq(subword_text(&opened, whole, 6), "\xE2\x82\xAC \xE4\xBD\xA0"
                                                      "a");
    cr_assert_str_eq(subword_text(&opened, cut_short, 6), "\xEF\xBF\xBD"
                                                          "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    close_subword(&opened);
}
