// fuzz_tokenizer.c: bytes up to a NUL as a tokenizer.json, the bytes after it as a text for it. What is not refused
// gives the same ids with and without offsets, by a cache that is empty and by one that is not, and decodes.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ga_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_IDS = 1 << 16 };

// The ids of a text, in ids[MOST_IDS]; SIZE_MAX where it is refused.
static size_t encode(struct ga_text_context *context, const char *text, size_t length, unsigned flags, int32_t *ids)
{
    struct ga_text_encoding encoding;
    struct ga_error error = {.text = ""};
    const char *pair = length % 3 == 1 ? text : NULL;
    const enum ga_status status = ga_text_encode(context, text, length, pair, pair ? length / 2 : 0,
                                                 flags | GA_TEXT_REPLACE_INVALID, &encoding, &error);
    if (status != GA_OK) {
        fuzz_need(*error.text != '\0', "refused a text without a word");
        return SIZE_MAX;
    }
    for (size_t i = 0; encoding.offsets && i < encoding.count; i++) {
        fuzz_need(encoding.tokens[i].length == 0 || encoding.tokens[i].bytes, "a token has no text");
    }
    const size_t count = encoding.count < MOST_IDS ? encoding.count : MOST_IDS;
    if (count > 0) {
        memcpy(ids, encoding.ids, count * sizeof *ids);
    }
    return encoding.count;
}

static void use(const struct ga_text_tokenizer *tokenizer, const char *text, size_t length)
{
    static int32_t ids[3][MOST_IDS];
    static const unsigned flags[] = {0, GA_TEXT_OFFSETS, 0};
    struct ga_text_context *context;
    if (ga_text_context_open(tokenizer, &context) != GA_OK) {
        return;
    }
    size_t counts[3];
    for (int i = 0; i < 3; i++) {
        counts[i] = encode(context, text, length, flags[i], ids[i]);
        const size_t count = counts[0] < MOST_IDS ? counts[0] : MOST_IDS;
        fuzz_need(counts[i] == counts[0] && (counts[0] == SIZE_MAX || memcmp(ids[i], ids[0], count * 4) == 0),
                  "other ids in turn %d: %zu, %zu", i, counts[i], counts[0]);
    }
    struct ga_text_view view;
    struct ga_error error;
    if (counts[0] < MOST_IDS) {
        (void)ga_text_decode(context, ids[0], counts[0], length % 2, &view, &error);
    }
    ga_text_context_close(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    const size_t json = end ? (size_t)(end - data) : size;
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error = {.text = ""};
    if (ga_text_tokenizer_open_memory("t.json", (const char *)data, json, &tokenizer, &error) != GA_OK) {
        fuzz_need(*error.text != '\0' && !tokenizer, "refused a file without a word");
        return 0;
    }
    const size_t rest = end ? size - json - 1 : 0;
    char *text = malloc(rest + 1); // of its own, so that nothing beyond it is read
    if (text) {
        if (rest > 0) {
            memcpy(text, end + 1, rest);
        }
        use(tokenizer, text, rest);
        free(text);
    }
    ga_text_tokenizer_close(tokenizer);
    return 0;
}
