// words.c: the pre-tokenizers BertPreTokenizer, Whitespace and WhitespaceSplit: pieces between white space.
#include "pretokenizer.h"
#include "unicode.h"

static enum ga_status open_empty(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    *self_out = NULL;
    return ga_text_read_fields(reader, object, NULL, 0, NULL);
}

// What a character is to these steps. A piece is a run of one kind; SINGLE ones stand alone, and SPACE is in none.
enum kind { SPACE, PART, OTHER, SINGLE };

// Cuts at each change of kind.
static enum ga_status cut_kinds(const struct ga_text_string *in, struct ga_text_span piece,
                                enum kind (*kind_of)(uint32_t code_point), struct ga_text_cuts *out)
{
    enum ga_status status = GA_OK;
    enum kind last = SPACE;
    size_t begin = piece.begin;
    for (size_t at = piece.begin, length; at < piece.end && status == GA_OK; at += length) {
        const enum kind kind = kind_of(ga_text_code_point(in->bytes + at, &length));
        if (kind == last && kind != SINGLE) {
            continue;
        }
        status = last == SPACE ? GA_OK : ga_text_cuts_append(out, begin, at);
        begin = at;
        last = kind;
    }
    return status == GA_OK && last != SPACE ? ga_text_cuts_append(out, begin, piece.end) : status;
}

static bool is_ascii_punctuation(uint32_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

static enum kind bert_kind(uint32_t c)
{
    if (c < 0x80) {
        return is_ascii_punctuation(c) ? SINGLE : ga_text_is_whitespace(c) ? SPACE : PART;
    }
    return ga_text_classes(c) & GA_TEXT_IS_PUNCTUATION ? SINGLE : ga_text_is_whitespace(c) ? SPACE : PART;
}

static enum ga_status cut_bert(const void *self, void *scratch, const struct ga_text_string *in,
                               struct ga_text_span piece, struct ga_text_cuts *out, struct ga_error *error)
{
    (void)self, (void)scratch, (void)error;
    return cut_kinds(in, piece, bert_kind, out);
}

static enum kind word_kind(uint32_t c)
{
    if (ga_text_is_whitespace(c)) {
        return SPACE;
    }
    return ga_text_classes(c) & GA_TEXT_IS_WORD ? PART : OTHER;
}

static enum ga_status cut_words(const void *self, void *scratch, const struct ga_text_string *in,
                                struct ga_text_span piece, struct ga_text_cuts *out, struct ga_error *error)
{
    (void)self, (void)scratch, (void)error;
    return cut_kinds(in, piece, word_kind, out);
}

static enum kind space_kind(uint32_t c)
{
    return ga_text_is_whitespace(c) ? SPACE : PART;
}

static enum ga_status cut_spaces(const void *self, void *scratch, const struct ga_text_string *in,
                                 struct ga_text_span piece, struct ga_text_cuts *out, struct ga_error *error)
{
    (void)self, (void)scratch, (void)error;
    return cut_kinds(in, piece, space_kind, out);
}

// Spaces are in no piece.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    (void)self;
    edges->are_cut = true;
    return edges->lead == GA_TEXT_LEAD_SPACE;
}

const struct ga_text_pretokenizer_class ga_text_bert_pretokenizer = {
    .base = {.type = "BertPreTokenizer", .open = open_empty},
    .cut = cut_bert,
    .edges = prove,
};

const struct ga_text_pretokenizer_class ga_text_whitespace = {
    .base = {.type = "Whitespace", .open = open_empty},
    .cut = cut_words,
    .edges = prove,
};

const struct ga_text_pretokenizer_class ga_text_whitespace_split = {
    .base = {.type = "WhitespaceSplit", .open = open_empty},
    .cut = cut_spaces,
    .edges = prove,
};
