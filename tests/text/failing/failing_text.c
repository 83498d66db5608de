// failing_text.c: what happens to libga_text when memory is refused: each allocation in turn, of opening a tokenizer,
// of a context, of encoding and of decoding. A program of its own, as it stands in front of the C library's allocator.
// Where jansson is refused memory for a string, it says that the token is wrong, so that the status may be GA_FORMAT.
// It never is GA_OK: up to 2.14 a buffer of its scanner that cannot grow loses letters unnoticed (akheron/jansson,
// issue 362), which text/base/json.c notices.
#define _GNU_SOURCE // dladdr
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "../text_fixture.h"
#include "failing_memory.h"
#include "ga_text.h"

static size_t made, turn; // allocations since the last start, and the one that is refused; 0: none
static bool refused_jansson;
static bool refused_pcre2; // whose compiler of machine code does without, as it is not needed

static bool refuses_memory(size_t size)
{
    (void)size;
    if (++made != turn) {
        return false;
    }
    refused_jansson = asker_is_of("libjansson");
    refused_pcre2 = asker_is_of("libpcre2");
    return true;
}

static void start(size_t when)
{
    made = 0;
    turn = when;
    refused_pcre2 = refused_jansson = false;
}

// -- Checks ---------------------------------------------------------------------------------------------------------

static size_t checks, failures;

static void expect(bool truth, const char *what, size_t when, const char *said)
{
    checks++;
    if (!truth) {
        failures++;
        printf("FAIL %s, %zu: %s\n", what, when, said);
    }
}

// -- Tokenizers -----------------------------------------------------------------------------------------------------

#define TOKENIZER(normalizer, cuts, decoder, model)                                                                 \
    "{\"version\":\"1.0\",\"added_tokens\":[{\"id\":0,\"content\":\"<s>\",\"single_word\":false,\"lstrip\":false,"  \
    "\"rstrip\":false,\"normalized\":true,\"special\":true}],\"normalizer\":" normalizer ",\"pre_tokenizer\":" cuts \
    ",\"post_processor\":null,\"decoder\":" decoder ",\"model\":" model "}"

static const struct {
    const char *name, *json;
} tokenizers[] = {
    {"WordPiece", fixture_json},
    {"BPE",
     TOKENIZER(
         "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKC\"},{\"type\":\"Replace\",\"pattern\":"
         "{\"Regex\":\"x+\"},\"content\":\"a\"},{\"type\":\"Lowercase\"}]}",
         "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\d|[^\\\\d]+\"},"
         "\"behavior\":\"Isolated\",\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":true,"
         "\"trim_offsets\":true,\"use_regex\":true}]}",
         "{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,\"use_regex\":true}",
         "{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":\"<s>\",\"continuing_subword_prefix\":null,"
         "\"end_of_word_suffix\":null,\"fuse_unk\":true,\"byte_fallback\":false,\"vocab\":{\"<s>\":0,\"a\":1,"
         "\"t\":2,\"\\u0120\":3,\"at\":4,\"\\u0120a\":5},\"merges\":[[\"a\",\"t\"],[\"\\u0120\",\"a\"]]}")},
    {"Unigram",
     TOKENIZER("{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFD\"},{\"type\":\"StripAccents\"},"
               "{\"type\":\"Prepend\",\"prepend\":\"\\u2581\"}]}",
               "{\"type\":\"Metaspace\",\"replacement\":\"\\u2581\",\"prepend_scheme\":\"always\",\"split\":true}",
               "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Metaspace\",\"replacement\":\"\\u2581\","
               "\"prepend_scheme\":\"always\",\"split\":true},{\"type\":\"Fuse\"},{\"type\":\"Strip\","
               "\"content\":\" \",\"start\":1,\"stop\":0}]}",
               "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,\"vocab\":[[\"<s>\",-9],[\"\\u2581\",-1],"
               "[\"a\",-1.5],[\"at\",-2],[\"t\",-3]]}")},
};

// Long enough that what a context sets aside at first is not enough for it.
static const char *long_text(void)
{
    static char text[20000];
    for (size_t i = 0; i + 16 < sizeof text; i += strlen(text + i)) {
        snprintf(text + i, 16, "%s",
                 i % 5 == 0   ? "the cats <s> "
                 : i % 3 == 0 ? "A\xc3\xa9 xx7t! "
                              : "at \xe4\xbd\xa0 ");
    }
    return text;
}

static struct ga_text_tokenizer *tokenizer;
static struct ga_text_context *context;

static enum ga_status encode(const char *text, unsigned flags, struct ga_text_encoding *encoding,
                             struct ga_error *error)
{
    return ga_text_encode(context, text, strlen(text), "a cat", 5, flags, encoding, error);
}

// All that a caller does with a tokenizer, up to the first failure.
static enum ga_status use(const char *json, const char *text, struct ga_error *error)
{
    struct ga_text_encoding encoding = {0};
    struct ga_text_view view;
    tokenizer = NULL;
    context = NULL;
    enum ga_status status = ga_text_tokenizer_open_memory("t.json", json, strlen(json), &tokenizer, error);
    status = status == GA_OK ? ga_text_context_open(tokenizer, &context) : status;
    status = status == GA_OK ? encode(text, 0, &encoding, error) : status;
    status = status == GA_OK ? encode(text, GA_TEXT_OFFSETS, &encoding, error) : status;
    status = status == GA_OK ? ga_text_decode(context, encoding.ids, encoding.count, false, &view, error) : status;
    return status;
}

static void close_all(void)
{
    ga_text_context_close(context);
    if (tokenizer) {
        ga_text_tokenizer_close(tokenizer);
    }
}

// Packs a tokenizer and opens what came of it.
static enum ga_status use_packed(const char *json, const char *text, struct ga_error *error)
{
    struct ga_text_encoding encoding = {0};
    char *packed;
    size_t size;
    tokenizer = NULL;
    context = NULL;
    enum ga_status status = ga_text_tokenizer_pack("t.json", json, strlen(json), NULL, 0, &packed, &size, error);
    status = status == GA_OK ? ga_text_tokenizer_open_memory("t.gap", packed, size, &tokenizer, error) : status;
    free(packed);
    status = status == GA_OK ? ga_text_context_open(tokenizer, &context) : status;
    return status == GA_OK ? encode(text, 0, &encoding, error) : status;
}

// Refuses allocation after allocation until none is left to refuse.
static void refuse_each(const char *name,
                        enum ga_status (*calls)(const char *json, const char *text, struct ga_error *error),
                        const char *json, const char *text)
{
    bool done = false;
    for (size_t when = 1; !done; when++) {
        struct ga_error error = {.text = ""};
        const size_t before = live;
        start(when);
        const enum ga_status got = calls(json, text, &error);
        const bool goes_without = (got == GA_OK && refused_pcre2) || (got == GA_FORMAT && refused_jansson);
        done = made < when;
        start(0);
        expect(got == (done ? GA_OK : GA_MEMORY) || goes_without, name, when, error.text);
        expect(done || tokenizer || context == NULL, name, when, "a context without a tokenizer");
        close_all();
        expect(live == before, name, when, "blocks were left");
        expect(!done || when > 20, name, when, "nearly nothing was there to refuse");
    }
}

// A context that was refused memory for one text has the ids of the next.
static void test_after_a_refusal(const char *name, const char *json)
{
    struct ga_text_encoding encoding;
    struct ga_error error = {.text = ""};
    expect(use(json, "a", &error) == GA_OK, name, 0, error.text);
    for (size_t when = 1; when < 200; when++) {
        start(when);
        const enum ga_status got = encode(long_text(), GA_TEXT_OFFSETS, &encoding, &error);
        const bool refused = made >= when;
        start(0);
        expect(got == (refused ? GA_MEMORY : GA_OK), name, when, error.text);
        if (!refused) {
            break;
        }
    }
    int32_t first;
    expect(encode("at cat", 0, &encoding, &error) == GA_OK && encoding.count > 0, name, 0, error.text);
    first = encoding.ids[0];
    close_all();
    expect(use(json, "a", &error) == GA_OK && encode("at cat", 0, &encoding, &error) == GA_OK &&
               encoding.ids[0] == first,
           name, 0, "other ids");
    close_all();
}

int main(void)
{
    for (size_t i = 0; i < sizeof tokenizers / sizeof *tokenizers; i++) {
        refuse_each(tokenizers[i].name, use, tokenizers[i].json, "The cats at a\xcc\x81 7xx");
        refuse_each(tokenizers[i].name, use, tokenizers[i].json, long_text());
        refuse_each(tokenizers[i].name, use_packed, tokenizers[i].json, "The cats");
        test_after_a_refusal(tokenizers[i].name, tokenizers[i].json);
    }
    printf("%zu checks, %zu failed\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
