// fuzz_tokenizer.c: bytes up to a NUL as a tokenizer.json, the bytes after it as a text for it. What is not refused
// gives the same ids with and without offsets, by a cache that is empty and by one that is not, and decodes. What is
// packed of it opens, and gives the same ids. Bytes that begin as a GGUF file are one. After a byte 1, the bytes after
// the NUL damage what the file is packed to: a place (3 bytes) and a byte for it each.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "ga_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
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

// The ids that a packed tokenizer gives are those of the file that it was packed of.
static void compare_packed(const struct ga_text_tokenizer *tokenizer, const char *json, size_t length, const char *text,
                           size_t text_length)
{
    static int32_t ids[2][MOST_IDS];
    struct ga_error error = {.text = ""};
    struct ga_text_tokenizer *opened = NULL;
    struct ga_text_context *contexts[2] = {NULL, NULL};
    char *packed;
    size_t size, counts[2];
    if (ga_text_tokenizer_pack("t.json", json, length, NULL, 0, &packed, &size, &error) != GA_OK) {
        fuzz_need(error.status == GA_MEMORY, "what opened is not packed: %s", error.text);
        return;
    }
    const enum ga_status status = ga_text_tokenizer_open_memory("t.gap", packed, size, &opened, &error);
    fuzz_need(status == GA_OK || status == GA_MEMORY, "what was packed is refused: %s", error.text);
    free(packed);
    const bool good = status == GA_OK && ga_text_context_open(tokenizer, &contexts[0]) == GA_OK &&
                      ga_text_context_open(opened, &contexts[1]) == GA_OK;
    for (int i = 0; good && i < 2; i++) {
        counts[i] = encode(contexts[i], text, text_length, 0, ids[i]);
    }
    if (good) {
        const size_t count = counts[0] < MOST_IDS ? counts[0] : MOST_IDS;
        fuzz_need(counts[0] == counts[1] && (counts[0] == SIZE_MAX || memcmp(ids[0], ids[1], count * 4) == 0),
                  "packed, other ids: %zu, %zu", counts[1], counts[0]);
        fuzz_need(ga_text_tokenizer_hash(tokenizer) == ga_text_tokenizer_hash(opened), "another hash");
    }
    ga_text_context_close(contexts[0]);
    ga_text_context_close(contexts[1]);
    ga_text_tokenizer_close(opened);
}

// Opens bytes[length] and uses them for a text.
static void take(const char *bytes, size_t length, const char *text, size_t text_length)
{
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error = {.text = ""};
    if (ga_text_tokenizer_open_memory("t.json", bytes, length, &tokenizer, &error) != GA_OK) {
        fuzz_need(*error.text != '\0' && !tokenizer, "refused a file without a word");
        return;
    }
    use(tokenizer, text, text_length);
    compare_packed(tokenizer, bytes, length, text, text_length);
    ga_text_tokenizer_close(tokenizer);
}

// Uses a damaged packed tokenizer, where it is not refused.
static void take_damaged(const char *json, size_t length, const uint8_t *damage, size_t damage_size)
{
    static const char text[] = "The cats! abc \xE4\xBD\xA0 ab x";
    struct ga_text_tokenizer *tokenizer;
    struct ga_error error = {.text = ""};
    char *packed;
    size_t size;
    if (ga_text_tokenizer_pack("t.json", json, length, NULL, 0, &packed, &size, &error) != GA_OK) {
        return;
    }
    for (size_t i = 0; i + 4 <= damage_size; i += 4) {
        const size_t place = damage[i] | (size_t)damage[i + 1] << 8 | (size_t)damage[i + 2] << 16;
        packed[place % size] = (char)damage[i + 3];
    }
    if (ga_text_tokenizer_open_memory("t.gap", packed, size - damage_size % 4, &tokenizer, &error) == GA_OK) {
        use(tokenizer, text, sizeof text - 1);
        ga_text_tokenizer_close(tokenizer);
    } else {
        fuzz_need(*error.text != '\0' && !tokenizer, "refused a packed file without a word");
    }
    free(packed);
}

// What a GGUF file becomes is refused or opens as any other tokenizer.json.
static void take_gguf(const uint8_t *data, size_t size)
{
    static const char text[] = "The cats! abc  <x> \xE4\xBD\xA0\xED\x95\x9C A\xCC\x81 zz";
    struct ga_error error = {.text = ""};
    char *json;
    size_t length;
    if (ga_text_tokenizer_read(fuzz_write("in.gguf", data, size), &json, &length, &error) != GA_OK) {
        fuzz_need(*error.text != '\0' && !json, "refused a GGUF file without a word");
        return;
    }
    take(json, length, text, sizeof text - 1);
    free(json);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "GGUF", 4) == 0) {
        take_gguf(data, size);
        return 0;
    }
    const bool damages = size > 0 && data[0] == 1;
    data += damages;
    size -= damages;
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    const size_t json = end ? (size_t)(end - data) : size, rest = end ? size - json - 1 : 0;
    if (damages) {
        take_damaged((const char *)data, json, data + (size - rest), rest);
        return 0;
    }
    char *text = malloc(rest + 1); // of its own, so that nothing beyond it is read
    if (text) {
        if (rest > 0) {
            memcpy(text, end + 1, rest);
        }
        take((const char *)data, json, text, rest);
        free(text);
    }
    return 0;
}
