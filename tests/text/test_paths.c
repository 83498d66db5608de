// test_paths.c: ids without offsets, which are those of chunks where a tokenizer is proved local, are the ids that come
// with offsets, which never are: of random pipelines and texts from a seed. What ids are right, tests/text/oracle.py
// asks the package.
#include "subword_fixture.h"

enum { PIPELINES = 6000, TEXTS = 8, ROOM = 8192 };

#define MARK "\xe2\x96\x81"

struct list {
    const char *const *items;
    size_t count;
};

#define LIST(array) ((struct list){array, sizeof(array) / sizeof *(array)})

#define REPLACE(pattern, content) \
    "{\"type\":\"Replace\",\"pattern\":{\"String\":\"" pattern "\"},\"content\":\"" content "\"}"
#define SPLIT(pattern, behaviour) \
    "{\"type\":\"Split\",\"pattern\":" pattern ",\"behavior\":\"" behaviour "\",\"invert\":false}"
#define METASPACE(scheme, split) \
    "{\"type\":\"Metaspace\",\"replacement\":\"" MARK "\",\"prepend_scheme\":\"" scheme "\",\"split\":" split "}"
#define BERT(accents)                                                                 \
    "{\"type\":\"BertNormalizer\",\"clean_text\":true,\"handle_chinese_chars\":true," \
    "\"strip_accents\":" accents ",\"lowercase\":true}"
#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+"

static const char *const normalizers[] = {
    BERT("true"),
    BERT("false"),
    "{\"type\":\"GGUFWords\",\"lowercase\":true,\"strip_accents\":true}",
    "{\"type\":\"GGUFSpaces\",\"add_space_prefix\":true,\"remove_extra_whitespaces\":false}",
    "{\"type\":\"NFC\"}",
    "{\"type\":\"NFD\"}",
    "{\"type\":\"NFKC\"}",
    "{\"type\":\"NFKD\"}",
    "{\"type\":\"Lowercase\"}",
    "{\"type\":\"StripAccents\"}",
    "{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":false}",
    "{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"}",
    "{\"type\":\"Prepend\",\"prepend\":\" \"}",
    REPLACE(" ", ""),
    REPLACE(" ", MARK),
    REPLACE(" ", "x"),
    REPLACE(" ", "  "),
    REPLACE(MARK, " "),
    REPLACE("a", ""),
    REPLACE("x", ""),
    REPLACE("x", " "),
    REPLACE("b", MARK),
    REPLACE("c", "\\n"),
    REPLACE("x", "\\u0301"),
    REPLACE("ab", "c"),
    REPLACE("b ", "c"),
    REPLACE("  ", " "),
};

static const char *const cuts[] = {
    "{\"type\":\"BertPreTokenizer\"}",
    "{\"type\":\"Whitespace\"}",
    "{\"type\":\"WhitespaceSplit\"}",
    "{\"type\":\"Punctuation\",\"behavior\":\"Isolated\"}",
    "{\"type\":\"Punctuation\",\"behavior\":\"MergedWithNext\"}",
    "{\"type\":\"Digits\",\"individual_digits\":true}",
    "{\"type\":\"Digits\",\"individual_digits\":false}",
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":true}",
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true}",
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":false}",
    METASPACE("always", "true"),
    METASPACE("first", "true"),
    METASPACE("first", "false"),
    METASPACE("never", "true"),
    SPLIT("{\"String\":\" \"}", "Removed"),
    SPLIT("{\"String\":\" \"}", "Isolated"),
    SPLIT("{\"String\":\" \"}", "MergedWithPrevious"),
    SPLIT("{\"String\":\" \"}", "MergedWithNext"),
    SPLIT("{\"String\":\" \"}", "Contiguous"),
    SPLIT("{\"String\":\"" MARK "\"}", "Contiguous"),
    SPLIT("{\"String\":\"" MARK "\"}", "MergedWithNext"),
    SPLIT("{\"Regex\":\"" GPT2 "\"}", "Isolated"),
    SPLIT("{\"Regex\":\"" GPT2 "\"}", "MergedWithNext"),
    SPLIT("{\"Regex\":\"\\\\s+\"}", "Isolated"),
};

#define BPE(more)                                                                                             \
    "{\"type\":\"BPE\",\"dropout\":null,\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null," more \
    "\"vocab\":{\"<u>\":0,\"a\":1,\"b\":2,\"c\":3,\"" MARK                                                    \
    "\":4,\" \":5,\"\\u0120\":6,\"1\":7,\"!\":8,\"ab\":9,\"" MARK "a\":10,\"" MARK MARK                       \
    "\":11,\"  \":12,\"\\u0120\\u0120\":13,\"\\u0120b\":14,\" a\":15,\"\\u00e2\":16,"                         \
    "\"\\u0120\\u00e2\":17,\"b" MARK "\":18,\"\\u010a\":19},\"merges\":"
#define MERGES "[\"a b\",\"" MARK " a\",\"" MARK " " MARK "\",\"\\u0120 \\u0120\",\"\\u0120 b\",\"\\u0120 \\u00e2\"]}"

static const struct model {
    const char *json;
    int n_tokens;
} models[] = {
    {"{\"type\":\"WordPiece\",\"unk_token\":\"<u>\",\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":"
     "9,"
     "\"vocab\":{\"<u>\":0,\"a\":1,\"b\":2,\"##a\":3,\"##b\":4,\"##c\":5,\"" MARK "\":6,\"##" MARK
     "\":7,\"1\":8,\"!\":9,"
     "\"ab\":10,\"x\":11,\"##x\":12,\"c\":13}}",
     14},
    {BPE("\"unk_token\":\"<u>\",\"fuse_unk\":true,\"byte_fallback\":false,") MERGES, 20},
    {BPE("\"unk_token\":null,\"fuse_unk\":false,\"byte_fallback\":false,") MERGES, 20},
    {BPE("\"unk_token\":\"<u>\",\"fuse_unk\":false,\"byte_fallback\":false,\"ignore_merges\":true,") MERGES, 20},
    {BPE("\"unk_token\":\"<u>\",\"fuse_unk\":false,\"byte_fallback\":false,") "[\"b " MARK "\",\"a b\"]}", 20},
    {"{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab\":[[\"<u>\",0],[\"a\",-2],[\"b\",-2.5],"
     "[\"" MARK "\",-3],[\"" MARK "a\",-2.25],[\"ab\",-3.5],[\"a" MARK "\",-3.25],[\" \",-4],[\"c\",-4.5],[\"1\",-5]]}",
     10},
};

static const char *const words[] = {"a",
                                    "b",
                                    "ab",
                                    "c",
                                    "xa",
                                    "x",
                                    "1",
                                    "!",
                                    "a'b",
                                    MARK,
                                    "bx",
                                    "B",
                                    "<m>",
                                    "\xc3\xa9",
                                    "\xcc\x81",
                                    "\xef\xb1\x9e",
                                    "\xef\xbe\x9e",
                                    "\xc4\xa0"};
static const char *const gaps[] = {" ", " ", " ", " ", "  ", "   ", "\n", " \n", "\xc2\xa0", ""};
static const char *const added[] = {"<m>", "bx", "a b", "x" MARK};

// xorshift, so that a pipeline has the same number everywhere.
static uint64_t next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 16;
}

static const char *chosen(struct list list, uint64_t *state)
{
    return list.items[next_number(state) % list.count];
}

// A Sequence of up to `most` of a list, or null, in text[ROOM].
static const char *make_sequence(const char *field, struct list list, size_t most, uint64_t *state, char *text)
{
    const size_t count = next_number(state) % (most + 1);
    size_t used = (size_t)snprintf(text, ROOM, "{\"type\":\"Sequence\",\"%s\":[", field);
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, ROOM - used, "%s%s", i ? "," : "", chosen(list, state));
    }
    snprintf(text + used, ROOM - used, "]}");
    return count ? text : "null";
}

// A token beyond a vocabulary, in text[ROOM]; of every other pipeline none.
static const char *make_added(int id, uint64_t *state, char *text)
{
    static const char *const booleans[] = {"true", "false", "false"};
    const struct list flags = LIST(booleans);
    if (next_number(state) % 2) {
        return "";
    }
    snprintf(text, ROOM,
             "{\"id\":%d,\"content\":\"%s\",\"single_word\":%s,\"lstrip\":%s,\"rstrip\":%s,\"normalized\":%s,"
             "\"special\":false}",
             id, chosen(LIST(added), state), chosen(flags, state), chosen(flags, state), chosen(flags, state),
             chosen(flags, state));
    return text;
}

static const char *make_text(uint64_t *state, char *text)
{
    const size_t count = next_number(state) % 10;
    size_t used = (size_t)snprintf(text, ROOM, "%s", next_number(state) % 2 ? chosen(LIST(gaps), state) : "");
    for (size_t i = 0; i < count; i++) {
        used +=
            (size_t)snprintf(text + used, ROOM - used, "%s%s", chosen(LIST(words), state), chosen(LIST(gaps), state));
    }
    return text;
}

// What a call says, in told[ROOM]: the status, and ids.
static const char *ids_of(struct subword *opened, const char *text, unsigned flags, char *told)
{
    const enum ga_status status =
        ga_text_encode(opened->context, text, strlen(text), NULL, 0, flags, &opened->encoding, &opened->error);
    size_t used = (size_t)snprintf(told, ROOM, "%d:", status);
    for (size_t i = 0; status == GA_OK && i < opened->encoding.count; i++) {
        used += (size_t)snprintf(told + used, ROOM - used, " %d", opened->encoding.ids[i]);
    }
    return told;
}

// Opens pipeline `number`; *state goes on to its texts.
static struct subword open_pipeline(uint64_t number, uint64_t *state, struct subword_parts *parts)
{
    static char steps[3][ROOM];
    *state = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    const struct model *model = &models[next_number(state) % (sizeof models / sizeof *models)];
    parts->model = model->json;
    parts->normalizer = make_sequence("normalizers", LIST(normalizers), 4, state, steps[0]);
    parts->cuts = make_sequence("pretokenizers", LIST(cuts), 3, state, steps[1]);
    parts->added = make_added(model->n_tokens, state, steps[2]);
    return try_subword(*parts);
}

static void expect_agreement(struct subword *opened, const struct subword_parts *parts, const char *text)
{
    char fast[ROOM], slow[ROOM];
    ids_of(opened, text, 0, fast);
    ids_of(opened, text, GA_TEXT_OFFSETS, slow);
    cr_expect_str_eq(fast, slow, "\"%s\": %s, with offsets %s\n%s\n%s\n%s\n%s", text, fast, slow, parts->normalizer,
                     parts->cuts, parts->added, parts->model);
}

Test(paths, agree)
{
    size_t n_refused = 0;
    for (uint64_t number = 0; number < PIPELINES; number++) {
        uint64_t state;
        struct subword_parts parts = {0};
        struct subword opened = open_pipeline(number, &state, &parts);
        n_refused += opened.status != GA_OK;
        for (size_t i = 0; i < TEXTS && opened.status == GA_OK; i++) {
            char text[ROOM];
            expect_agreement(&opened, &parts, make_text(&state, text));
        }
        close_subword(&opened);
    }
    cr_expect(n_refused < PIPELINES / 20, "%zu pipelines are refused", n_refused);
}

// What random ones seldom are: a first chunk of which nothing is left, spaces that meet where a chunk lost its word.
Test(paths, agree_where_words_are_taken_away)
{
    static const struct {
        const char *normalizers, *cuts, *text;
        size_t model;
    } rows[] = {
        {REPLACE("a", "") ",{\"type\":\"Prepend\",\"prepend\":\"" MARK "\"}", "{\"type\":\"WhitespaceSplit\"}", "a b a",
         0},
        {REPLACE("x", "\\u0301") ",{\"type\":\"StripAccents\"}",
         "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":true}", "a x x b", 1},
        {REPLACE("x", ""), SPLIT("{\"Regex\":\"" GPT2 "\"}", "Isolated"), "a x x b", 1},
        {REPLACE("x", ""), SPLIT("{\"String\":\" \"}", "Contiguous"), "a x x b", 1},
        {REPLACE("x", "") "," REPLACE(" ", MARK), "{\"type\":\"Digits\",\"individual_digits\":true}", "a x x b", 1},
        {REPLACE("b", MARK), METASPACE("always", "true"), "a b a", 5},
        {REPLACE(" ", MARK), "{\"type\":\"WhitespaceSplit\"}", "a b a", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char steps[ROOM];
        snprintf(steps, sizeof steps, "{\"type\":\"Sequence\",\"normalizers\":[%s]}", rows[i].normalizers);
        const struct subword_parts parts = {
            .normalizer = steps, .cuts = rows[i].cuts, .model = models[rows[i].model].json};
        struct subword opened = open_subword(parts);
        expect_agreement(&opened, &parts, rows[i].text);
        close_subword(&opened);
    }
}
