// test_bounds.c: files and texts that were made to take time or memory: each is refused by name, or taken within limits
// that are counted. Measures no time.
#include "regex.h"
#include "subword_fixture.h"

// Room for the JSON of a model, and what is written so far.
struct writing {
    char *text;
    size_t length, room;
};

static struct writing new_writing(size_t room)
{
    struct writing w = {.text = malloc(room), .room = room};
    cr_assert_not_null(w.text);
    w.text[0] = '\0';
    return w;
}

static void put(struct writing *w, const char *text)
{
    const size_t length = strlen(text);
    cr_assert(w->length + length < w->room);
    memcpy(w->text + w->length, text, length + 1);
    w->length += length;
}

static void put_times(struct writing *w, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        put(w, text);
    }
}

#define UNIGRAM(tokens) "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab\":[[\"?\",0]" tokens "]}"
#define UNIGRAM_BEGIN "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab\":[[\"?\",0]"
#define WORDPIECE_BEGIN                                                                                             \
    "{\"type\":\"WordPiece\",\"unk_token\":\"?\",\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\"" \
    ":100,\"vocab\":{\"?\":0"

// Opens a model that was written, beside a normalizer, and frees it.
static struct subword try_written(struct writing *w, const char *normalizer)
{
    const struct subword opened = try_subword((struct subword_parts){.normalizer = normalizer, .model = w->text});
    free(w->text);
    return opened;
}

static void expect_refused(struct subword *opened, const char *what, const char *says)
{
    cr_expect_eq(opened->status, GA_FORMAT, "%s: %s", what, opened->error.text);
    cr_expect(strstr(opened->error.text, says), "%s: %s", what, opened->error.text);
    close_subword(opened);
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

// Each byte of a text may begin a token, so that what is looked at from there has a limit.
Test(bounds, tokens_end_at_512_bytes)
{
    static const struct {
        const char *begin, *before, *after;
    } models[] = {{UNIGRAM_BEGIN, ",[\"", "\",-1]]}"}, {WORDPIECE_BEGIN, ",\"", "\":1}}"}};
    for (size_t i = 0; i < 2; i++) {
        for (size_t length = 512; length <= 513; length++) {
            struct writing w = new_writing(4096);
            put(&w, models[i].begin);
            put(&w, models[i].before);
            put_times(&w, "a", length);
            put(&w, models[i].after);
            struct subword opened = try_written(&w, NULL);
            if (length == 513) {
                expect_refused(&opened, models[i].begin, "has 513 bytes; expected at most 512");
            } else {
                cr_expect_eq(opened.status, GA_OK, "%s", opened.error.text);
                close_subword(&opened);
            }
        }
    }
}

// Equal tokens are one in the table of tokens, whose last id is found; walking past each other they took n * n steps.
Test(bounds, equal_tokens_are_one, .timeout = 60)
{
    enum { EQUAL = 300000 };
    struct writing w = new_writing(EQUAL * 12 + 200);
    put(&w, UNIGRAM_BEGIN);
    put_times(&w, ",[\"ab\",-1]", EQUAL);
    put(&w, "]}");
    struct subword opened = try_written(&w, NULL);
    cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
    cr_expect_str_eq(subword_ids(&opened, "ab"), "300000");
    close_subword(&opened);
}

// -- Growth ---------------------------------------------------------------------------------------------------------

#define REPLACE(from, to) "{\"type\":\"Replace\",\"pattern\":{\"String\":\"" from "\"},\"content\":\"" to "\"}"

// Steps that multiply a text, alone and together: what is too long is refused before there is memory for it.
Test(bounds, texts_that_outgrow_their_limit_are_refused)
{
    struct writing w = new_writing(1 << 16);
    put(&w, "{\"type\":\"Sequence\",\"normalizers\":[" REPLACE("a", "aa"));
    put_times(&w, "," REPLACE("a", "aa"), 29);
    put(&w, "]}");
    struct subword opened = open_subword((struct subword_parts){.normalizer = w.text, .model = UNIGRAM(",[\"a\",-1]")});
    static char text[1000];
    memset(text, 'a', sizeof text);
    cr_expect_eq(ga_text_encode(opened.context, text, sizeof text, NULL, 0, 0, &opened.encoding, &opened.error),
                 GA_OVERFLOW);
    cr_expect(strstr(opened.error.text, "a text of 1000 bytes becomes too many tokens, or too long"), "%s",
              opened.error.text);
    close_subword(&opened);
    free(w.text);
}

// A text may be in 64 places of a template, and what it grew to in all of them.
Test(bounds, templates_that_repeat_a_text_are_refused_beyond_the_limit)
{
    for (size_t taken = 0; taken < 2; taken++) {
        struct writing w = new_writing(1 << 13);
        put(&w, "{\"type\":\"TemplateProcessing\",\"special_tokens\":{},\"pair\":[],\"single\":[");
        put(&w, "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}");
        put_times(&w, ",{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}", 63);
        put(&w, "]}");
        struct subword opened = open_subword((struct subword_parts){
            .normalizer = taken ? NULL : REPLACE("a", "aa"), .processor = w.text, .model = UNIGRAM(",[\"a\",-1]")});
        static char text[1000];
        memset(text, 'a', sizeof text);
        const enum ga_status status =
            ga_text_encode(opened.context, text, sizeof text, NULL, 0, 0, &opened.encoding, &opened.error);
        cr_expect_eq(status, taken ? GA_OK : GA_OVERFLOW);
        cr_expect_eq(opened.encoding.count, taken ? 64 * sizeof text : 0);
        cr_expect(taken || strstr(opened.error.text, "a text of 1000 bytes becomes too many tokens"), "%s",
                  opened.error.text);
        close_subword(&opened);
        free(w.text);
    }
}

// What a map of sentencepiece puts in the place of a character is short; a forged one had the rest of the file there.
Test(bounds, texts_of_a_map_end_at_1024_bytes)
{
    for (size_t length = 1023; length <= 1026; length += 3) {
        struct writing w = new_writing(1 << 13);
        put(&w, "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AAAAAGFh"); // no units, "aa"
        put_times(&w, "YWFh", (length - 2) / 3);
        put(&w, "\"}");
        struct subword opened = try_subword((struct subword_parts){.normalizer = w.text, .model = UNIGRAM("")});
        if (length > 1024) {
            expect_refused(&opened, "map", "a text of more than 1024 bytes");
        } else {
            cr_expect_eq(opened.status, GA_OK, "%s", opened.error.text);
            close_subword(&opened);
        }
        free(w.text);
    }
}

// -- Regular expressions --------------------------------------------------------------------------------------------

#define A_OR_A "(?:a|a)(?:a|a)(?:a|a)(?:a|a)"
#define SPLIT(regex) \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" regex "\"},\"behavior\":\"Isolated\",\"invert\":false}"

// Each on `count` times a text and "b", without which PCRE2 sees at once that most of them match nothing. Steps are
// counted, 256 for a byte.
static const struct {
    const char *cuts, *text;
    size_t count;
    bool is_taken;
} expressions[] = {
    {SPLIT("(?:x|a)a+[cd]b"), "a", 20000, false},           // each match fails after a step over all that is left
    {SPLIT("(?=a*[cd]b)a|x"), "a", 20000, false},           // the same, looking ahead
    {SPLIT("(?:aa)*[cd]b|x"), "a", 20000, false},           // a group
    {SPLIT("(?:x|a)a*?[cd]b"), "a", 20000, false},          // as few as will do
    {SPLIT("(?:x|a)(?>a+)[cd]b"), "a", 20000, false},       // once for all
    {SPLIT("(a+)+[cd]b"), "a", 64, false},                  // 2^n
    {SPLIT(A_OR_A A_OR_A A_OR_A "[cd]b"), "a", 200, false}, // 2^12 a byte
    {SPLIT("a?a?a?a?a?a?a?a?a?a?a?a?[cd]b"), "a", 200, false},
    {SPLIT("(a*)\\\\1[cd]b"), "a", 400, false}, // compares what the group has
    {SPLIT("\\\\s+(?!\\\\S)|\\\\S+"), " ", 200000, true},
    {SPLIT("[^\\\\n]*\\\\n|.+"), "a", 200000, true},
    {SPLIT("\\\\p{L}{1,3}|\\\\p{N}+| ?[^ ]+"), "the 1 cat; ", 20000, true},
    {SPLIT("(?i:'s|'t)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+(?#*)|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"),
     "It's  so.\n", 20000, true},
};

Test(bounds, steps_of_expressions_are_linear)
{
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        struct writing w = new_writing(strlen(expressions[i].text) * expressions[i].count + 2);
        put_times(&w, expressions[i].text, expressions[i].count);
        put(&w, "b");
        struct subword opened = open_subword((struct subword_parts){.cuts = expressions[i].cuts, .model = UNIGRAM("")});
        const enum ga_status found =
            ga_text_encode(opened.context, w.text, w.length, NULL, 0, 0, &opened.encoding, &opened.error);
        cr_expect_eq(found, expressions[i].is_taken ? GA_OK : GA_FORMAT, "%s: %s", expressions[i].cuts,
                     opened.error.text);
        cr_expect(found == GA_OK || strstr(opened.error.text, "takes more steps than it is given on this text"));
        close_subword(&opened);
        free(w.text);
    }
}

// Most expressions of tokenizers end each branch with a loop. What has matched then is not tried again, and is not
// counted, as counting takes a third of the time of such a match.
Test(bounds, what_ends_a_branch_is_not_counted)
{
    static const struct {
        const char *regex;
        size_t counts;
    } rows[] = {
        {"a+|b*?", 0},        {"a+b", 1},           {"a+b*", 1},     {"(a+|b)c", 2},     {"(?:a|b)|(?i:c|d)", 0},
        {"(?:a|b)c|d", 1},    {"(?:a|b)*c", 1},     {"a?|b?c?d", 1}, {"a?(?:b?c)+d", 2}, {"a?b?c?|a?b{2}", 1},
        {"(?x)a+|(?x:b)", 3}, {"(?#a)a+|(?#)b", 0}, {"a+(?!b)", 1},  {"a+)|b+", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_text_string out = {0};
        size_t counts = 0;
        const struct ga_text_bytes regex = {rows[i].regex, strlen(rows[i].regex)};
        cr_assert_eq(ga_text_regex_rewrite(NULL, regex, &out), GA_OK);
        for (size_t at = 0; at + 4 <= out.length; at++) {
            counts += memcmp(out.bytes + at, "(?C)", 4) == 0;
        }
        cr_expect_eq(counts, rows[i].counts, "%s has %zu: %.*s", rows[i].regex, counts, (int)out.length, out.bytes);
        ga_text_string_free(&out);
    }
}

// -- Hashes ---------------------------------------------------------------------------------------------------------

// As text/models/ has them.
enum { PROBES = 256, SEEDS = 8, SLOTS = 8192 };
uint64_t ga_text_hash(const char *bytes, size_t length, uint64_t seed);

// Writes tokens that go to the first slot by a seed of the hash, one more than are looked at.
static void put_colliding(struct writing *w, uint64_t seed, int *id)
{
    int found = 0;
    for (unsigned i = 0; found <= PROBES; i++) {
        char token[16], entry[40];
        const int length = snprintf(token, sizeof token, "%u.%x", (unsigned)seed, i);
        if ((ga_text_hash(token, (size_t)length, seed) & (SLOTS - 1)) == 0) {
            snprintf(entry, sizeof entry, ",\"%s\":%d", token, ++*id);
            put(w, entry);
            found++;
        }
    }
}

// A file made against one seed of the hash is taken by the next, with the same ids; one made against all is refused.
Test(bounds, tokens_that_collide_are_bounded)
{
    for (uint64_t seeds = 1; seeds <= SEEDS; seeds += SEEDS - 1) {
        struct writing w = new_writing(1 << 17);
        int id = 0;
        put(&w, WORDPIECE_BEGIN);
        for (uint64_t seed = 0; seed < seeds; seed++) {
            put_colliding(&w, seed, &id);
        }
        for (char more[40]; id < SLOTS / 4 + 1;) { // so that there are as many slots either way
            snprintf(more, sizeof more, ",\"more%d\":%d", id + 1, id + 1);
            put(&w, more);
            id++;
        }
        put(&w, "}}");
        struct subword opened = try_written(&w, NULL);
        if (seeds == SEEDS) {
            expect_refused(&opened, "tokens", "vocab: more than 256 tokens have hashes that are alike");
        } else {
            cr_assert_eq(opened.status, GA_OK, "%s", opened.error.text);
            cr_expect_str_eq(subword_ids(&opened, "more2049"), "2049");
            close_subword(&opened);
        }
    }
}
