// test_gguf_words.c: WordPiece and Unigram of GGUF files, which are made here; the ids are those that llama.cpp gives
// for the same files (tests/text/gguf_oracle.py compares those of gguf_vocabularies.py).
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "gguf_fixture.h"

#define MARK "\u2581"

struct token {
    const char *text;
    float score;
    int type;
};

static void put_tokens(struct gguf_file *file, const struct token *tokens, size_t count)
{
    put_array(file, "tokenizer.ggml.tokens", STRING, count);
    for (size_t i = 0; i < count; i++) {
        put_text(file, tokens[i].text);
    }
    put_array(file, "tokenizer.ggml.token_type", I32, count);
    for (size_t i = 0; i < count; i++) {
        put_number(file, (uint64_t)tokens[i].type, 4);
    }
}

// -- WordPiece ------------------------------------------------------------------------------------------------------

static const struct token pieces[] = {
    {"[UNK]", 0, 2},  {"[CLS]", 0, 3},   {"[SEP]", 0, 3},       {MARK "the", 0, 1}, {MARK "cat", 0, 1},
    {"s", 0, 1},      {MARK "un", 0, 1}, {"able", 0, 1},        {MARK "!", 0, 1},   {MARK "\u4e2d", 0, 1},
    {MARK "a", 0, 1}, {MARK "b", 0, 1},  {MARK "\u1112", 0, 1}, {"[user]", 0, 4},   {MARK "e", 0, 1},
    {MARK "T", 0, 1}, {"he", 0, 1},      {MARK "\u00e9", 0, 1}, {MARK "$", 0, 1},   {"\u20ac", 0, 1},
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static struct gguf_file bert_file(void)
{
    struct gguf_file file = begin_file("bert", NULL);
    put_tokens(&file, pieces, PIECES);
    put_id(&file, "tokenizer.ggml.bos_token_id", 1);
    put_id(&file, "tokenizer.ggml.seperator_token_id", 2);
    put_id(&file, "tokenizer.ggml.unknown_token_id", 0);
    return file;
}

Test(gguf_words, finds_the_longest_tokens_of_words)
{
    struct gguf_file file = bert_file();
    struct subword opened = open_gguf(&file);
    expect_ids(&opened, "The CATS  unable!", "1 3 4 5 6 7 8 2");
    expect_ids(&opened, "the cat\u200bs!! xyz\u4e2d\u4e2d unx", "1 3 4 5 8 8 0 9 9 0 2");
    expect_ids(&opened, "e\u0301 \u00c9 \ud55c a" MARK "b the[user]cats[SEP]", "1 14 14 12 10 11 3 13 4 5 2 2");
    expect_ids(&opened, "$ a\u20ac$", "1 18 10 19 18 2");
    expect_ids(&opened, "", "1 2");
    close_subword(&opened);
}

Test(gguf_words, keeps_case_and_accents_if_the_file_says_so)
{
    struct gguf_file file = bert_file(), accents = bert_file();
    put_switch(&file, "tokenizer.ggml.normalizer.lowercase", false);
    put_switch(&accents, "tokenizer.ggml.normalizer.strip_accents", false);
    struct subword cased = open_gguf(&file), accented = open_gguf(&accents);
    expect_ids(&cased, "The the \u00e9 \u00c9", "1 15 16 3 17 0 2");
    expect_ids(&accented, "The the \u00e9 \u00c9 e\u0301", "1 3 3 17 17 0 2");
    close_subword(&cased);
    close_subword(&accented);
}

Test(gguf_words, joins_words_again)
{
    struct gguf_file file = bert_file();
    struct subword opened = open_gguf(&file);
    static const int32_t ids[] = {1, 3, 4, 5, 8, 6, 7, 2};
    cr_expect_str_eq(subword_text(&opened, ids, 8), "the cats! unable");
    cr_expect_str_eq(subword_offsets(&opened, "The cats!"), "0-0 0-3 4-7 7-8 8-9 0-0");
    close_subword(&opened);
}

Test(gguf_words, needs_the_tokens_around_a_text)
{
    struct gguf_file first = without(bert_file(), "tokenizer.ggml.bos_token_id"),
                     last = without(bert_file(), "tokenizer.ggml.seperator_token_id"),
                     unknown = without(bert_file(), "tokenizer.ggml.unknown_token_id"), beyond = bert_file(),
                     text = bert_file();
    put_string(&text, "tokenizer.ggml.normalizer.lowercase", "yes");
    beyond = without(beyond, "tokenizer.ggml.seperator_token_id");
    put_id(&beyond, "tokenizer.ggml.seperator_token_id", PIECES);
    expect_refused(&first, "tokenizer.ggml.bos_token_id is missing, and its default is not the id of one of 20 tokens");
    expect_refused(&last, "tokenizer.ggml.seperator_token_id is missing");
    expect_refused(&unknown, "tokenizer.ggml.unknown_token_id is missing");
    expect_refused(&beyond, "tokenizer.ggml.seperator_token_id is 20; expected the id of one of 20 tokens");
    expect_refused(&text, "tokenizer.ggml.normalizer.lowercase has type string; expected bool");
}

// -- Unigram --------------------------------------------------------------------------------------------------------

static const struct token scored[] = {
    {"<pad>", 0, 3}, {"</s>", 0, 3},  {"<unk>", 0, 2},    {MARK, -3, 1},
    {"a", -2, 1},    {"b", -2.5F, 1}, {MARK "ab", -4, 1}, {"b" MARK "a", -2.25F, 1},
    {"bc", -99, 4},  {"c", -9, 1},    {"<x>", -7, 4},     {"d", -1000, 5},
    {"cd", -30, 1},  {"e", 0, 3},     {"<0x61>", 0, 6},   {"zy", -90, 5},
};
enum { SCORED = sizeof scored / sizeof *scored };

// sentencepiece's map: a double array with the keys "A" and "A" with an accent, whose texts are "bc" and " ".
enum { UNITS = 0x400, MAP = 4 + 4 * UNITS + 6 };

static void put_unit(char *map, size_t at, uint32_t unit)
{
    for (int i = 0; i < 4; i++) {
        map[4 + 4 * at + (size_t)i] = (char)(unit >> 8 * i);
    }
}

// A node for `byte` at `at`, whose children are at to ^ theirs; has_value: its value is at to.
static void put_node(char *map, size_t at, char byte, size_t to, bool has_value)
{
    put_unit(map, at, (uint32_t)(unsigned char)byte | (uint32_t)has_value << 8 | (uint32_t)(at ^ to) << 10);
}

static void make_map(char map[MAP])
{
    memset(map, 0, MAP);
    const size_t root = 0x100, after_a = 0x200, after_lead = 0x300, value = 0x42;
    put_unit(map, 0, (uint32_t)root << 10);
    put_node(map, root ^ 'A', 'A', after_a, true);
    put_unit(map, after_a, 1u << 31);
    put_node(map, after_a ^ 0xCC, '\xCC', after_lead, false);
    put_node(map, after_lead ^ 0x81, '\x81', value, true);
    put_unit(map, value, 1u << 31 | 3);
    memcpy(map + 4 + 4 * UNITS, "bc\0 ", 5);
    memcpy(map, (const char[]){0, UNITS * 4 >> 8, 0, 0}, 4);
}

static void put_map(struct gguf_file *file, const char *map, size_t length)
{
    put_array(file, "tokenizer.ggml.precompiled_charsmap", U8, length);
    memcpy(file->bytes + file->length, map, length);
    file->length += length;
}

static struct gguf_file t5_file(bool has_map)
{
    struct gguf_file file = begin_file("t5", NULL);
    float scores[SCORED];
    put_tokens(&file, scored, SCORED);
    for (size_t i = 0; i < SCORED; i++) {
        scores[i] = scored[i].score;
    }
    put_floats(&file, "tokenizer.ggml.scores", scores, SCORED);
    if (has_map) {
        char map[MAP];
        make_map(map);
        put_map(&file, map, MAP);
    }
    return file;
}

Test(gguf_words, gives_the_best_path_of_scores)
{
    struct gguf_file file = t5_file(false);
    struct subword opened = open_gguf(&file);
    expect_ids(&opened, "ab a", "4 7 1");
    expect_ids(&opened, "  ab  ab ", "3 6 3 6 3 1");
    expect_ids(&opened, "zz<x>dcd<pad>a</s>", "2 10 11 12 0 4 1 1");
    expect_ids(&opened, "azeez<0x61>", "4 2 13 13 2 1");
    expect_ids(&opened, "a<0x61>", "4 2 1");
    expect_ids(&opened, "azyb", "4 2 5 1"); // twice 10 below -30 is more than -90
    expect_ids(&opened, "", "1");
    close_subword(&opened);
}

Test(gguf_words, adds_and_removes_spaces_as_the_file_says)
{
    struct gguf_file prefix = t5_file(false), merge = t5_file(false);
    put_switch(&prefix, "tokenizer.ggml.add_space_prefix", true);
    put_switch(&merge, "tokenizer.ggml.remove_extra_whitespaces", true);
    struct subword one = open_gguf(&prefix), two = open_gguf(&merge);
    expect_ids(&one, "ab  ab ", "6 3 6 3 1");
    expect_ids(&one, " ab", "3 6 1");
    expect_ids(&one, "  ", "3 3 1");
    expect_ids(&two, "ab  ab ", "6 6 1");
    expect_ids(&two, " ab", "6 1");
    expect_ids(&two, "  ", "1");
    close_subword(&one);
    close_subword(&two);
}

Test(gguf_words, takes_the_longest_key_of_a_map)
{
    struct gguf_file file = t5_file(true);
    struct subword opened = open_gguf(&file);
    expect_ids(&opened, "AaA\u0301a", "8 4 3 4 1");
    expect_ids(&opened, "aA\u0302b\u0301", "4 8 2 5 2 1");
    cr_expect_str_eq(subword_offsets(&opened, "aA\u0301c"), "0-1 1-3 3-4 0-0");
    close_subword(&opened);
}

Test(gguf_words, says_what_a_unigram_lacks)
{
    struct gguf_file scores = without(t5_file(false), "tokenizer.ggml.scores"), infinite = scores,
                     unknown = begin_file("t5", NULL), text = t5_file(false);
    float values[SCORED] = {0, 0, 0, INFINITY};
    put_floats(&infinite, "tokenizer.ggml.scores", values, SCORED);
    put_tokens(&unknown, scored, 2);
    put_floats(&unknown, "tokenizer.ggml.scores", values, 2);
    put_string(&text, "tokenizer.ggml.precompiled_charsmap", "map");
    expect_refused(&scores, "tokenizer.ggml.scores is missing; expected an array of float32");
    expect_refused(&infinite, "tokenizer.ggml.scores item 3 is not finite");
    expect_refused(&unknown, "tokenizer.ggml.unknown_token_id is missing, and its default is not the id of one of 2");
    expect_refused(&text, "tokenizer.ggml.precompiled_charsmap has type string; expected an array of uint8");
}

Test(gguf_words, survives_a_damaged_map)
{
    char map[MAP], damaged[MAP];
    uint32_t random = 1;
    make_map(map);
    for (int round = 0; round < 1000; round++) {
        struct gguf_file file = t5_file(false);
        memcpy(damaged, map, MAP);
        for (int i = 0; i < 1 + round % 4; i++) {
            random = random * 1664525u + 1013904223u;
            const size_t hot[] = {0, 4 * (1 + (0x100 ^ 'A')), 4 * (1 + 0x200), MAP - 6};
            damaged[(hot[random >> 30] + (random >> 16) % 4) % MAP] ^= (char)(1 << (random >> 24) % 8);
        }
        put_map(&file, damaged, round % 3 == 0 ? MAP - (random >> 20) % MAP : MAP);
        struct subword opened = open_cut(&file, file.length);
        if (opened.status == GA_OK) {
            subword_ids(&opened, "AaA\u0301\u0301A");
        } else {
            cr_assert_not_null(strstr(opened.error.text, "tokenizer.ggml.precompiled_charsmap is "), "%s",
                               opened.error.text);
        }
        close_subword(&opened);
    }
}

Test(gguf_words, refuses_files_that_are_cut_short_anywhere)
{
    struct gguf_file words = bert_file(), unigram = t5_file(false);
    for (size_t length = 1; length < words.length; length++) {
        cr_assert_eq(open_cut(&words, length).status, GA_FORMAT, "%zu bytes", length);
    }
    for (size_t length = 1; length < unigram.length; length++) {
        cr_assert_eq(open_cut(&unigram, length).status, GA_FORMAT, "%zu bytes", length);
    }
}
