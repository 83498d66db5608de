// bpe_encode.c: the tokens that the model BPE gives a piece: its characters as symbols, merged by rank. Reads no JSON.
#include <string.h>

#include "bpe.h"
#include "unicode.h"

// A piece on its way to symbols.
struct symbol_reading {
    const struct ga_text_bpe *bpe;
    struct ga_text_symbols *symbols;
    size_t unknown; // bytes of unknown characters that have no symbol yet
    struct ga_error *error;
};

// -- Symbols --------------------------------------------------------------------------------------------------------

// A character with its prefix and suffix.
struct spelling {
    char bytes[2 * GA_TEXT_BPE_AFFIX + 4];
    size_t length;
};

static void add_affix(struct spelling *spelling, const char *bytes, size_t length)
{
    memcpy(spelling->bytes + spelling->length, bytes, length);
    spelling->length += length;
}

static struct spelling spell(const struct ga_text_bpe *bpe, struct ga_text_bytes character, bool is_first, bool is_last)
{
    struct spelling spelling = {.length = 0};
    add_affix(&spelling, bpe->prefix.bytes, is_first ? 0 : bpe->prefix.length);
    add_affix(&spelling, character.bytes, character.length);
    add_affix(&spelling, bpe->suffix.bytes, is_last ? bpe->suffix.length : 0);
    return spelling;
}

static enum ga_status give_unknown(struct symbol_reading *r)
{
    const size_t length = r->unknown;
    r->unknown = 0;
    return length == 0 ? GA_OK : ga_text_symbols_append(r->symbols, r->bpe->unknown_id, length);
}

static enum ga_status add_unknown(struct symbol_reading *r, size_t length)
{
    if (!r->bpe->has_unknown) {
        return GA_OK; // the package leaves it out
    }
    if (r->bpe->unknown_id == GA_TEXT_NO_ID) {
        return ga_fail(r->error, GA_FORMAT,
                       "the text has a character that is not a token; expected the vocabulary to have \"unk_token\"");
    }
    const enum ga_status status = r->bpe->fuse_unknown ? GA_OK : give_unknown(r);
    r->unknown += length;
    return status;
}

static bool has_byte_tokens(const struct ga_text_bpe *bpe, const struct spelling *spelling)
{
    for (size_t i = 0; i < spelling->length; i++) {
        if (bpe->byte_ids[(unsigned char)spelling->bytes[i]] == GA_TEXT_NO_ID) {
            return false;
        }
    }
    return bpe->byte_fallback;
}

// Unknown characters that wait stay so: the package gives them after these bytes.
static enum ga_status add_bytes(struct symbol_reading *r, const struct spelling *spelling)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < spelling->length && status == GA_OK; i++) {
        status = ga_text_symbols_append(r->symbols, r->bpe->byte_ids[(unsigned char)spelling->bytes[i]], 1);
    }
    return status;
}

static enum ga_status add_known(struct symbol_reading *r, int32_t id, size_t length)
{
    const enum ga_status status = give_unknown(r);
    return status == GA_OK ? ga_text_symbols_append(r->symbols, id, length) : status;
}

static enum ga_status add_character(struct symbol_reading *r, struct ga_text_bytes character, bool is_first,
                                    bool is_last)
{
    const struct spelling spelling = spell(r->bpe, character, is_first, is_last);
    const int32_t id = ga_text_vocabulary_id(&r->bpe->vocabulary, spelling.bytes, spelling.length);
    if (id != GA_TEXT_NO_ID) {
        return add_known(r, id, character.length);
    }
    return has_byte_tokens(r->bpe, &spelling) ? add_bytes(r, &spelling) : add_unknown(r, character.length);
}

static enum ga_status read_symbols(struct symbol_reading *r, struct ga_text_bytes piece)
{
    const bool is_plain = r->bpe->prefix.length == 0 && r->bpe->suffix.length == 0;
    enum ga_status status = GA_OK;
    size_t length;
    r->symbols->count = 0;
    for (size_t at = 0; at < piece.length && status == GA_OK; at += length) {
        const uint32_t code_point = ga_text_code_point(piece.bytes + at, &length);
        const bool is_listed = is_plain && code_point < GA_TEXT_BPE_CHARACTERS;
        const int32_t id = is_listed ? r->bpe->characters[code_point] : GA_TEXT_NO_ID;
        status = id != GA_TEXT_NO_ID ? add_known(r, id, length)
                                     : add_character(r, (struct ga_text_bytes){piece.bytes + at, length}, at == 0,
                                                     at + length == piece.length);
    }
    return status == GA_OK ? give_unknown(r) : status;
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

// Characters that have been left out move the tokens after them to the front, as in the package.
static enum ga_status give_tokens(const struct ga_text_symbols *symbols, struct ga_text_tokens *out)
{
    enum ga_status status = GA_OK;
    size_t position = 0;
    for (size_t i = 0; i < symbols->count && status == GA_OK; i++) {
        const struct ga_text_symbol *symbol = &symbols->items[i];
        status = ga_text_tokens_append(out, symbol->id, position, position + symbol->length);
        position += symbol->length;
    }
    return status;
}

static enum ga_status merge_symbols(const struct ga_text_bpe *bpe, struct ga_text_symbols *symbols,
                                    struct ga_text_bytes piece, struct ga_text_tokens *out, struct ga_error *error)
{
    struct symbol_reading reading = {bpe, symbols, 0, error};
    enum ga_status status = read_symbols(&reading, piece);
    status = status == GA_OK ? ga_text_symbols_merge(symbols, &bpe->merges) : status;
    return status == GA_OK ? give_tokens(symbols, out) : status;
}

// -- Words of a piece -----------------------------------------------------------------------------------------------

static const char mark[] = "\xe2\x96\x81"; // U+2581

static bool is_mark(const char *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, mark, 3) == 0;
}

// The next mark that does not follow another one.
static size_t next_mark(const char *piece, size_t length, size_t begin)
{
    bool in_marks = true;
    for (size_t at = begin; at < length;) {
        const bool marks = is_mark(piece + at, length - at);
        if (marks && !in_marks) {
            return at;
        }
        in_marks = marks;
        at += marks ? 3 : 1;
    }
    return length;
}

size_t ga_text_bpe_word_end(const void *self, const char *piece, size_t length, size_t begin)
{
    (void)self;
    return next_mark(piece, length, begin);
}

enum ga_status ga_text_bpe_encode(const void *self, void *scratch, const char *piece, size_t length,
                                  struct ga_text_tokens *out, struct ga_error *error)
{
    const struct ga_text_bpe *bpe = self;
    const int32_t id = bpe->ignore_merges ? ga_text_vocabulary_id(&bpe->vocabulary, piece, length) : GA_TEXT_NO_ID;
    return id != GA_TEXT_NO_ID ? ga_text_tokens_append(out, id, 0, length)
                               : merge_symbols(bpe, scratch, (struct ga_text_bytes){piece, length}, out, error);
}
