// wordpiece.c: the model WordPiece: of each word the longest tokens from its beginning on, or one token for all of it.
#include <stdlib.h>
#include <string.h>

#include "text_model.h"
#include "trie.h"
#include "unicode.h"

struct wordpiece {
    struct ga_text_vocabulary vocabulary;
    struct ga_text_trie beginnings; // all tokens
    struct ga_text_trie insides;    // those with the prefix, without it
    int32_t unknown;                // GA_TEXT_NO_ID: the vocabulary has no such token
    size_t longest_word;            // characters
};

struct wordpiece_fields {
    struct ga_text_bytes unk_token, prefix;
    int64_t longest_word;
    json_t *vocab;
};

static const struct ga_text_field fields[] = {
    {"unk_token", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, unk_token)},
    {"continuing_subword_prefix", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, prefix)},
    {"max_input_chars_per_word", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, longest_word)},
    {"vocab", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, vocab)},
};

enum { LONGEST_WORD = 1 << 16 };

static void close_wordpiece(void *self)
{
    struct wordpiece *wordpiece = self;
    if (wordpiece) {
        ga_text_vocabulary_free(&wordpiece->vocabulary);
        ga_text_trie_free(&wordpiece->beginnings);
        ga_text_trie_free(&wordpiece->insides);
        free(wordpiece);
    }
}

// What a token stands for inside a word: what comes after the prefix; nothing where it has none.
static struct ga_text_bytes inside_of(struct ga_text_bytes token, struct ga_text_bytes prefix)
{
    const bool has_it = token.length > prefix.length && memcmp(token.bytes, prefix.bytes, prefix.length) == 0;
    return has_it ? (struct ga_text_bytes){token.bytes + prefix.length, token.length - prefix.length}
                  : (struct ga_text_bytes){NULL, 0};
}

static enum ga_status open_tries(struct wordpiece *wordpiece, struct ga_text_bytes prefix)
{
    const struct ga_text_vocabulary *vocabulary = &wordpiece->vocabulary;
    size_t insides = 0;
    for (size_t id = 0; id < vocabulary->count; id++) {
        insides += inside_of(ga_text_vocabulary_token(vocabulary, (int32_t)id), prefix).length;
    }
    const enum ga_status status = ga_text_trie_open(&wordpiece->beginnings, vocabulary->length);
    return status ? status : ga_text_trie_open(&wordpiece->insides, insides);
}

static enum ga_status add_tokens(struct wordpiece *wordpiece, struct ga_text_bytes prefix)
{
    const struct ga_text_vocabulary *vocabulary = &wordpiece->vocabulary;
    const enum ga_status status = open_tries(wordpiece, prefix);
    for (size_t id = 0; id < vocabulary->count && status == GA_OK; id++) {
        const struct ga_text_bytes token = ga_text_vocabulary_token(vocabulary, (int32_t)id);
        const struct ga_text_bytes inside = inside_of(token, prefix);
        if (token.length > 0) {
            ga_text_trie_add(&wordpiece->beginnings, token.bytes, token.length, (int32_t)id);
        }
        if (inside.length > 0) {
            ga_text_trie_add(&wordpiece->insides, inside.bytes, inside.length, (int32_t)id);
        }
    }
    return status;
}

static enum ga_status fill(struct ga_text_reader *reader, const struct wordpiece_fields *given,
                           struct wordpiece *wordpiece)
{
    if (given->longest_word < 1 || given->longest_word > LONGEST_WORD) {
        return ga_text_refuse(reader, "max_input_chars_per_word", "a number out of range", "1 to 65536");
    }
    wordpiece->longest_word = (size_t)given->longest_word;
    const size_t length = ga_text_reader_enter(reader, "vocab", 0);
    const enum ga_status status = ga_text_vocabulary_read(&wordpiece->vocabulary, reader, given->vocab);
    ga_text_reader_leave(reader, length);
    if (status != GA_OK) {
        return status;
    }
    wordpiece->unknown = ga_text_vocabulary_id(&wordpiece->vocabulary, given->unk_token.bytes, given->unk_token.length);
    return add_tokens(wordpiece, given->prefix) == GA_OK ? GA_OK : ga_text_refuse_memory(reader);
}

static enum ga_status open_wordpiece(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct wordpiece_fields given = {{NULL, 0}, {NULL, 0}, 0, NULL};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof fields / sizeof *fields, &given);
    if (status != GA_OK) {
        return status;
    }
    struct wordpiece *wordpiece = calloc(1, sizeof *wordpiece);
    if (!wordpiece) {
        return ga_text_refuse_memory(reader);
    }
    status = fill(reader, &given, wordpiece);
    if (status != GA_OK) {
        close_wordpiece(wordpiece);
        return status;
    }
    *self_out = wordpiece;
    return GA_OK;
}

// Whether a piece has more than limit characters.
static bool is_longer(const char *piece, size_t length, size_t limit)
{
    size_t count = 0;
    for (size_t i = 0; length > limit && i < length && count <= limit; i++) {
        count += ((unsigned char)piece[i] & 0xC0) != 0x80;
    }
    return count > limit;
}

static enum ga_status append_unknown(const struct wordpiece *wordpiece, size_t length, struct ga_text_tokens *out,
                                     struct ga_error *error)
{
    if (wordpiece->unknown == GA_TEXT_NO_ID) {
        return ga_fail(error, GA_FORMAT, "WordPiece: a word is in no tokens, and the vocabulary lacks unk_token");
    }
    return ga_text_tokens_append(out, wordpiece->unknown, 0, length);
}

static enum ga_status encode(const void *self, void *scratch, const char *piece, size_t length,
                             struct ga_text_tokens *out, struct ga_error *error)
{
    (void)scratch;
    const struct wordpiece *wordpiece = self;
    const size_t before = out->count;
    if (is_longer(piece, length, wordpiece->longest_word)) {
        return append_unknown(wordpiece, length, out, error);
    }
    for (size_t at = 0; at < length;) {
        const struct ga_text_trie *trie = at ? &wordpiece->insides : &wordpiece->beginnings;
        size_t size = 0;
        const int32_t id = ga_text_trie_longest(trie, piece + at, length - at, &size);
        if (id == GA_TEXT_NO_ID) {
            out->count = before;
            return append_unknown(wordpiece, length, out, error);
        }
        const enum ga_status status = ga_text_tokens_append(out, id, at, at + size);
        if (status != GA_OK) {
            return status;
        }
        at += size;
    }
    return GA_OK;
}

static const struct ga_text_vocabulary *vocabulary(const void *self)
{
    return &((const struct wordpiece *)self)->vocabulary;
}

const struct ga_text_model_class ga_text_wordpiece = {
    .base = {.type = "WordPiece", .open = open_wordpiece, .close = close_wordpiece},
    .encode = encode,
    .vocabulary = vocabulary,
};
