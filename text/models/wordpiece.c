// wordpiece.c: the model WordPiece: of each word the longest tokens from its beginning on, or one token for all of it.
#include <stdlib.h>
#include <string.h>

#include "double_array.h"
#include "text_model.h"
#include "unicode.h"

struct wordpiece {
    struct ga_text_vocabulary vocabulary;
    struct ga_text_double_array beginnings; // all tokens
    struct ga_text_double_array insides;    // those with the prefix, without it
    int32_t unknown;                        // GA_TEXT_NO_ID: the vocabulary has no such token
    size_t longest_word;                    // characters
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
        ga_text_double_array_free(&wordpiece->beginnings);
        ga_text_double_array_free(&wordpiece->insides);
        free(wordpiece);
    }
}

static enum ga_status read_arrays(struct wordpiece *wordpiece, struct ga_text_reader *reader)
{
    const size_t ids = wordpiece->vocabulary.count;
    const enum ga_status status =
        ga_text_double_array_read(&wordpiece->beginnings, reader, GA_TEXT_TABLE_BEGINNINGS, ids);
    return status == GA_OK ? ga_text_double_array_read(&wordpiece->insides, reader, GA_TEXT_TABLE_INSIDES, ids)
                           : status;
}

static enum ga_status make_arrays(struct wordpiece *wordpiece, struct ga_text_reader *reader,
                                  struct ga_text_bytes prefix)
{
    static const struct ga_text_bytes none = {NULL, 0};
    enum ga_status status = ga_text_double_array_make(&wordpiece->beginnings, &wordpiece->vocabulary, none);
    status = status == GA_OK ? ga_text_double_array_make(&wordpiece->insides, &wordpiece->vocabulary, prefix) : status;
    return status == GA_OK ? GA_OK : ga_text_refuse_memory(reader);
}

static enum ga_status fill(struct ga_text_reader *reader, const struct wordpiece_fields *given,
                           struct wordpiece *wordpiece)
{
    if (given->longest_word < 1 || given->longest_word > LONGEST_WORD) {
        return ga_text_refuse(reader, "max_input_chars_per_word", "a number out of range", "1 to 65536");
    }
    wordpiece->longest_word = (size_t)given->longest_word;
    const size_t length = ga_text_reader_enter(reader, "vocab", 0);
    enum ga_status status = ga_text_vocabulary_read(&wordpiece->vocabulary, reader, given->vocab);
    ga_text_reader_leave(reader, length);
    status = status ? status : ga_text_vocabulary_check_lengths(&wordpiece->vocabulary, reader);
    if (status != GA_OK) {
        return status;
    }
    wordpiece->unknown = ga_text_vocabulary_id(&wordpiece->vocabulary, given->unk_token.bytes, given->unk_token.length);
    return reader->tables ? read_arrays(wordpiece, reader) : make_arrays(wordpiece, reader, given->prefix);
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
        const struct ga_text_double_array *array = at ? &wordpiece->insides : &wordpiece->beginnings;
        size_t size = 0;
        const int32_t id = ga_text_array_longest(array, piece + at, length - at, &size);
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

static enum ga_status pack(const void *self, struct ga_text_tables *tables)
{
    const struct wordpiece *wordpiece = self;
    enum ga_status status = ga_text_vocabulary_pack(&wordpiece->vocabulary, tables);
    status = status ? status : ga_text_double_array_pack(&wordpiece->beginnings, &tables->of[GA_TEXT_TABLE_BEGINNINGS]);
    return status ? status : ga_text_double_array_pack(&wordpiece->insides, &tables->of[GA_TEXT_TABLE_INSIDES]);
}

const struct ga_text_model_class ga_text_wordpiece = {
    .base = {.type = "WordPiece", .open = open_wordpiece, .close = close_wordpiece},
    .encode = encode,
    .vocabulary = vocabulary,
    .pack = pack,
};
