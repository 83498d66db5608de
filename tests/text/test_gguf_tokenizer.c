// test_gguf_tokenizer.c: BPE tokenizers of GGUF files. The files are made here; the ids are those that llama.cpp gives
// for the same files (tests/text/gguf_oracle.py compares whole vocabularies).
#define _POSIX_C_SOURCE 200809L
#include "gguf_fixture.h"

// -- Vocabularies ---------------------------------------------------------------------------------------------------

// Merges have three scores, two of which are equal, and "(" stands for a token that the user added.
static const struct {
    const char *text;
    float score;
    int type;
} pieces[] = {
    {"<unk>", 0, 2}, {"<s>", 0, 3},       {"</s>", 0, 3}, {"\u2581", -9, 1}, {"a", -9, 1},
    {"b", -9, 1},    {"c", -9, 1},        {"ab", -2, 1},  {"bc", -2, 1},     {"\u2581a", -3, 1},
    {"abc", -4, 1},  {"\u2581ab", -5, 1}, {"ca", -1, 1},  {"((", 0, 4},      {"<|im_end|>", 0, 1},
};
enum { PIECES = sizeof pieces / sizeof *pieces, BYTES = 256 };

static void put_pieces(struct gguf_file *file)
{
    put_array(file, "tokenizer.ggml.tokens", STRING, PIECES + BYTES);
    for (size_t i = 0; i < PIECES; i++) {
        put_text(file, pieces[i].text);
    }
    for (unsigned byte = 0; byte < BYTES; byte++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", byte);
        put_text(file, name);
    }
    put_array(file, "tokenizer.ggml.scores", F32, PIECES + BYTES);
    for (size_t i = 0; i < PIECES + BYTES; i++) {
        uint32_t bits;
        memcpy(&bits, &(float){i < PIECES ? pieces[i].score : 0}, sizeof bits);
        put_number(file, bits, 4);
    }
    put_array(file, "tokenizer.ggml.token_type", I32, PIECES + BYTES);
    for (size_t i = 0; i < PIECES + BYTES; i++) {
        put_number(file, i < PIECES ? (uint64_t)pieces[i].type : 6, 4);
    }
}

static struct gguf_file llama_file(void)
{
    struct gguf_file file = begin_file("llama", NULL);
    put_pieces(&file);
    return file;
}

// The bytes that stand for themselves, three merges, and two tokens that are no text.
static struct gguf_file gpt2_file(const char *pre)
{
    static const char *const more[] = {"ab", "\u0120a", "\u0120ab", "<|endoftext|>", "12", "\u010a", "\u0120"};
    static const char *const merges[] = {"a b", "\u0120 a", "\u0120 ab", "1 2"};
    enum { FIRST = 0x21, PRINTED = 0x7F - FIRST, MORE = sizeof more / sizeof *more };
    struct gguf_file file = begin_file("gpt2", pre);
    put_array(&file, "tokenizer.ggml.tokens", STRING, PRINTED + MORE);
    for (char text[2] = {FIRST}; text[0] < 0x7F; text[0]++) {
        put_text(&file, text);
    }
    for (size_t i = 0; i < MORE; i++) {
        put_text(&file, more[i]);
    }
    put_array(&file, "tokenizer.ggml.token_type", I32, PRINTED + MORE);
    for (size_t i = 0; i < PRINTED + MORE; i++) {
        put_number(&file, i == PRINTED + 3 ? 3 : 1, 4);
    }
    put_array(&file, "tokenizer.ggml.merges", STRING, sizeof merges / sizeof *merges);
    for (size_t i = 0; i < sizeof merges / sizeof *merges; i++) {
        put_text(&file, merges[i]);
    }
    put_key(&file, "tokenizer.ggml.eos_token_id", U32);
    put_number(&file, PRINTED + 3, 4);
    return file;
}

// -- Facts ----------------------------------------------------------------------------------------------------------

Test(gguf_tokenizer, merges_by_score_and_the_leftmost_of_equal_scores)
{
    struct gguf_file file = llama_file();
    struct subword opened = open_gguf(&file);
    expect_ids(&opened, "abc", "1 3 10");
    expect_ids(&opened, "bcabca", "1 3 5 12 5 12");
    expect_ids(&opened, "a ab\u00e9((b</s>c<|im_end|>", "1 9 11 210 184 13 3 5 2 3 6 14");
    close_subword(&opened);
}

Test(gguf_tokenizer, says_which_tokens_end_a_text)
{
    struct gguf_file file = llama_file();
    struct subword opened = open_gguf(&file);
    size_t count;
    const int32_t *ends = ga_text_tokenizer_ends(opened.tokenizer, &count);
    cr_assert_eq(count, 2);
    cr_expect_eq(ends[0], 2);  // the default of llama
    cr_expect_eq(ends[1], 14); // <|im_end|>, by its name
    close_subword(&opened);
}

Test(gguf_tokenizer, cuts_by_the_pre_tokenizer)
{
    struct gguf_file file = gpt2_file("gpt-2"), digits = gpt2_file("starcoder");
    struct subword opened = open_gguf(&file), one_by_one = open_gguf(&digits);
    expect_ids(&opened, "ab ab 12<|endoftext|>a b", "94 96 100 98 97 64 100 65");
    expect_ids(&one_by_one, "ab ab 12<|endoftext|>a b", "94 96 100 16 17 97 64 100 65");
    close_subword(&opened);
    close_subword(&one_by_one);
}

Test(gguf_tokenizer, refuses_by_name_what_it_does_not_know)
{
    struct gguf_file pre = gpt2_file("somebody-else"), model = begin_file("rwkv", NULL),
                     none = begin_file("llama", NULL);
    expect_refused(&pre, "tokenizer.ggml.pre is \"somebody-else\"");
    expect_refused(&model, "tokenizer.ggml.model is \"rwkv\"");
    expect_refused(&none, "tokenizer.ggml.tokens is missing");
}

Test(gguf_tokenizer, says_what_is_missing_and_what_has_another_type)
{
    struct gguf_file model = begin_file(NULL, NULL), empty = begin_file("", NULL), number = begin_file(NULL, NULL),
                     merges = without(gpt2_file("gpt-2"), "tokenizer.ggml.merges"),
                     scores = without(llama_file(), "tokenizer.ggml.scores"), few = scores,
                     text = begin_file("llama", NULL), items = begin_file("llama", NULL);
    put_key(&number, "tokenizer.ggml.model", U32);
    put_number(&number, 1, 4);
    put_array(&few, "tokenizer.ggml.scores", F32, 1);
    put_number(&few, 0, 4);
    put_string(&text, "tokenizer.ggml.tokens", "a");
    put_array(&items, "tokenizer.ggml.tokens", I32, 0);
    expect_refused(&model, "tokenizer.ggml.model is missing; expected gpt2, llama, bert or t5");
    expect_refused(&empty, "tokenizer.ggml.model is \"\"; expected gpt2, llama, bert or t5");
    expect_refused(&number, "tokenizer.ggml.model has type uint32; expected string");
    expect_refused(&merges, "tokenizer.ggml.merges is missing; expected an array of string");
    expect_refused(&scores, "tokenizer.ggml.scores is missing; expected an array of float32");
    expect_refused(&few, "tokenizer.ggml.scores has 1 items; expected 271");
    expect_refused(&text, "tokenizer.ggml.tokens has type string; expected an array of string");
    expect_refused(&items, "tokenizer.ggml.tokens has type array of int32; expected an array of string");
}

Test(gguf_tokenizer, refuses_an_id_beyond_the_tokens)
{
    struct gguf_file file = llama_file();
    put_key(&file, "tokenizer.ggml.eos_token_id", U32);
    put_number(&file, PIECES + BYTES, 4);
    expect_refused(&file, "tokenizer.ggml.eos_token_id is 271; expected the id of one of 271 tokens");
}

Test(gguf_tokenizer, refuses_a_file_that_is_cut_short_anywhere)
{
    struct gguf_file file = gpt2_file("gpt-2");
    for (size_t length = 1; length < file.length; length++) {
        const struct subword opened = open_cut(&file, length);
        cr_assert_eq(opened.status, GA_FORMAT, "%zu bytes", length);
    }
}
