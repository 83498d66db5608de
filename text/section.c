// section.c: from the text between two added tokens to its tokens: normalizers, pre-tokenizers, the model.
#include "forms.h"
#include "tokenizer.h"
#include "unicode.h"

enum { LOOKUPS = 16 }; // pieces that are looked up together

static const size_t IN_VOCABULARY = UINT32_MAX; // where a token's text is: not in the surfaces

// -- Normalizers -----------------------------------------------------------------------------------------------------

static void clear(struct ga_text_string *string, bool aligned)
{
    string->length = 0;
    string->aligned = aligned;
}

enum ga_status ga_text_normalize(struct ga_text_context *context, const struct ga_text_string *in,
                                 struct ga_text_where where, const struct ga_text_string **out_out,
                                 struct ga_error *error)
{
    const struct ga_text_parts *parts = &context->tokenizer->normalizers;
    const struct ga_text_string *last = in;
    bool is_ascii = parts->count && ga_text_is_ascii(in->bytes, in->length);
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < parts->count && status == GA_OK; i++) {
        const struct ga_text_part *part = &parts->items[i];
        const struct ga_text_normalizer_class *class = (const void *)part->base;
        if (is_ascii && class->keeps_ascii && class->keeps_ascii(part->self)) {
            continue;
        }
        struct ga_text_string *next = &context->normalized[last == &context->normalized[0]];
        clear(next, in->aligned);
        next->limit = ga_text_growth_limit(in->length);
        status = class->apply(part->self, context->normalizers.items[i], last, where, next, error);
        last = next;
        is_ascii = status == GA_OK && i + 1 < parts->count && ga_text_is_ascii(last->bytes, last->length);
    }
    *out_out = last;
    return status;
}

// A section with the span of each byte: that of its character.
static enum ga_status align(struct ga_text_string *original, const char *bytes, size_t length)
{
    clear(original, true);
    enum ga_status status = ga_text_string_reserve(original, length);
    for (size_t at = 0, size; at < length && status == GA_OK; at += size) {
        ga_text_code_point(bytes + at, &size);
        status = ga_text_string_append(original, bytes + at, size,
                                       (struct ga_text_span){(uint32_t)at, (uint32_t)(at + size)});
    }
    return status;
}

// -- Pre-tokenizers --------------------------------------------------------------------------------------------------

// A text that is being cut: pieces of `text` by `cuts`, both of which steps put others in the place of.
struct pieces {
    struct ga_text_context *context;
    const struct ga_text_string *text;
    struct ga_text_cuts *cuts;
    size_t shift;  // of the section in the original
    size_t length; // of the section
    struct ga_text_where where;
};

static struct ga_text_cuts *other_cuts(const struct pieces *pieces)
{
    struct ga_text_cuts *cuts = &pieces->context->cuts[pieces->cuts == &pieces->context->cuts[0]];
    cuts->count = 0;
    return cuts;
}

static struct ga_text_string *other_text(const struct pieces *pieces)
{
    struct ga_text_string *text = &pieces->context->rewritten[pieces->text == &pieces->context->rewritten[0]];
    clear(text, pieces->text->aligned);
    text->limit = ga_text_growth_limit(pieces->length);
    return text;
}

// Where a piece stands: of texts without alignment only asked of the first piece.
static struct ga_text_where where_is(const struct pieces *pieces, struct ga_text_span piece)
{
    const bool is_at_start = pieces->text->aligned ? pieces->text->spans[piece.begin].begin == 0 : piece.begin == 0;
    return (struct ga_text_where){
        .section_start = pieces->where.section_start && piece.begin == 0,
        .text_start = pieces->where.text_start && pieces->shift == 0 && is_at_start,
    };
}

// `before` (with a place) or `after` of a step, over all pieces.
static enum ga_status rewrite(struct pieces *pieces, const struct ga_text_pretokenizer_class *class, const void *self,
                              void *scratch, bool before)
{
    struct ga_text_string *text = other_text(pieces);
    struct ga_text_cuts *cuts = other_cuts(pieces);
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < pieces->cuts->count && status == GA_OK; i++) {
        const struct ga_text_span piece = pieces->cuts->items[i];
        const size_t begin = text->length;
        status = before ? class->before(self, scratch, pieces->text, piece, where_is(pieces, piece), text)
                        : class->after(self, scratch, pieces->text, piece, text);
        status = status ? status : ga_text_cuts_append(cuts, begin, text->length);
    }
    pieces->text = text;
    pieces->cuts = cuts;
    return status;
}

static enum ga_status cut(struct pieces *pieces, const struct ga_text_pretokenizer_class *class, const void *self,
                          void *scratch, struct ga_error *error)
{
    struct ga_text_cuts *cuts = other_cuts(pieces);
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < pieces->cuts->count && status == GA_OK; i++) {
        status = class->cut(self, scratch, pieces->text, pieces->cuts->items[i], cuts, error);
    }
    pieces->cuts = cuts;
    return status;
}

// keeps_last: what the last step's `after` does is left to the caller.
static enum ga_status pretokenize(struct pieces *pieces, bool keeps_last, struct ga_error *error)
{
    const struct ga_text_parts *parts = &pieces->context->tokenizer->pretokenizers;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < parts->count && status == GA_OK; i++) {
        const struct ga_text_pretokenizer_class *class = (const void *)parts->items[i].base;
        const void *self = parts->items[i].self;
        void *scratch = pieces->context->pretokenizers.items[i];
        const bool rewrites = class->before && (!class->rewrites || class->rewrites(self));
        const bool is_last = keeps_last && i + 1 == parts->count;
        status = rewrites ? rewrite(pieces, class, self, scratch, true) : GA_OK;
        status = status || !class->cut ? status : cut(pieces, class, self, scratch, error);
        status = status || !class->after || is_last ? status : rewrite(pieces, class, self, scratch, false);
    }
    return status;
}

// -- The model -------------------------------------------------------------------------------------------------------

// Says where the last token's own text is: in the surfaces from `at` on, or IN_VOCABULARY.
static enum ga_status append_text(struct ga_text_sequence *sequence, size_t at, size_t length)
{
    void *texts = sequence->texts;
    const enum ga_status status =
        ga_text_grow(&texts, &sequence->texts_capacity, sequence->tokens.count - 1, 1, sizeof *sequence->texts);
    sequence->texts = texts;
    if (status == GA_OK) {
        const uint32_t end = at == IN_VOCABULARY ? UINT32_MAX : (uint32_t)(at + length);
        sequence->texts[sequence->tokens.count - 1] = (struct ga_text_span){(uint32_t)at, end};
    }
    return status;
}

static enum ga_status append_surface(struct ga_text_sequence *sequence, const char *bytes, size_t length)
{
    return ga_text_string_append(&sequence->surfaces, bytes, length, (struct ga_text_span){0, 0});
}

// The text of a match, in the surfaces from search->kept.at on.
static enum ga_status keep_match(struct ga_text_sequence *sequence, struct ga_text_added_search *search,
                                 const struct ga_text_added_match *match, const char *bytes)
{
    if (match->begin >= search->kept.begin && match->end <= search->kept.end) {
        return GA_OK;
    }
    search->kept.begin = match->begin;
    search->kept.end = match->end;
    search->kept.at = sequence->surfaces.length;
    return append_surface(sequence, bytes + match->begin, match->end - match->begin);
}

enum ga_status ga_text_append_added(struct ga_text_sequence *sequence, struct ga_text_added_search *search,
                                    const struct ga_text_added_match *match, const char *bytes,
                                    struct ga_text_span span)
{
    enum ga_status status = ga_text_tokens_append(&sequence->tokens, match->token->id, span.begin, span.end);
    if (bytes && status == GA_OK) {
        status = keep_match(sequence, search, match, bytes);
        const size_t at = search->kept.at + match->begin - search->kept.begin;
        status = status ? status : append_text(sequence, at, match->end - match->begin);
    }
    return status;
}

// The bytes of the original that [begin, end) of a text with alignment stands for.
static struct ga_text_span original_span(const struct pieces *pieces, size_t begin, size_t end)
{
    const struct ga_text_span first = pieces->text->spans[begin], last = pieces->text->spans[end - 1];
    return (struct ga_text_span){(uint32_t)(pieces->shift + first.begin), (uint32_t)(pieces->shift + last.end)};
}

// Appends the tokens of one piece with what they cover of the original.
static enum ga_status append_details(const struct pieces *pieces, struct ga_text_span piece,
                                     struct ga_text_sequence *sequence)
{
    const struct ga_text_part *model = &pieces->context->tokenizer->model;
    const struct ga_text_model_class *class = (const void *)model->base;
    const struct ga_text_tokens *tokens = &pieces->context->piece_tokens;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < tokens->count && status == GA_OK; i++) {
        const struct ga_text_token token = tokens->items[i];
        const struct ga_text_span span = original_span(pieces, piece.begin + token.begin, piece.begin + token.end);
        const bool is_surface = class->is_surface && class->is_surface(model->self, token.id);
        const size_t at = is_surface ? sequence->surfaces.length : IN_VOCABULARY, length = token.end - token.begin;
        status = ga_text_tokens_append(&sequence->tokens, token.id, span.begin, span.end);
        if (is_surface && status == GA_OK) {
            status = append_surface(sequence, pieces->text->bytes + piece.begin + token.begin, length);
        }
        status = status ? status : append_text(sequence, at, length);
    }
    return status;
}

static enum ga_status run_model(struct ga_text_context *context, const char *bytes, size_t length,
                                struct ga_text_tokens *tokens, struct ga_error *error)
{
    const struct ga_text_part *model = &context->tokenizer->model;
    const struct ga_text_model_class *class = (const void *)model->base;
    return class->encode(model->self, context->model, bytes, length, tokens, error);
}

static enum ga_status encode_with_details(struct pieces *pieces, struct ga_text_sequence *sequence,
                                          struct ga_error *error)
{
    struct ga_text_context *context = pieces->context;
    enum ga_status status = pretokenize(pieces, false, error);
    for (size_t i = 0; i < pieces->cuts->count && status == GA_OK; i++) {
        const struct ga_text_span piece = pieces->cuts->items[i];
        context->piece_tokens.count = 0;
        status = run_model(context, pieces->text->bytes + piece.begin, piece.end - piece.begin, &context->piece_tokens,
                           error);
        status = status == GA_OK ? append_details(pieces, piece, sequence) : status;
    }
    return status;
}

// The last step, where it has an `after`.
static const struct ga_text_part *last_rewriting(const struct ga_text_context *context)
{
    const struct ga_text_parts *parts = &context->tokenizer->pretokenizers;
    const struct ga_text_part *last = parts->count > 0 ? &parts->items[parts->count - 1] : NULL;
    const struct ga_text_pretokenizer_class *class = last ? (const void *)last->base : NULL;
    return class && class->after ? last : NULL;
}

// A piece whose tokens are not known: the `after` of the last step, then the model.
static enum ga_status encode_piece(const struct pieces *pieces, struct ga_text_span piece,
                                   struct ga_text_tokens *tokens, struct ga_error *error)
{
    struct ga_text_context *context = pieces->context;
    const struct ga_text_part *last = last_rewriting(context);
    if (!last) {
        return run_model(context, pieces->text->bytes + piece.begin, piece.end - piece.begin, tokens, error);
    }
    const struct ga_text_pretokenizer_class *class = (const void *)last->base;
    void *scratch = context->pretokenizers.items[context->tokenizer->pretokenizers.count - 1];
    struct ga_text_string *text = other_text(pieces);
    const enum ga_status status = class->after(last->self, scratch, pieces->text, piece, text);
    return status == GA_OK ? run_model(context, text->bytes, text->length, tokens, error) : status;
}

// A piece on its way to the words that are known.
struct lookup {
    struct ga_text_span piece;
    struct ga_text_word_key key;
    bool kept; // it is short enough to be
};

static void begin_lookup(const struct pieces *pieces, struct ga_text_span piece, struct lookup *lookup)
{
    const size_t length = piece.end - piece.begin;
    lookup->piece = piece;
    lookup->kept = length <= GA_TEXT_WORD_BYTES;
    if (lookup->kept) {
        ga_text_word_begin(&pieces->context->words, pieces->text->bytes + piece.begin, length, 0, &lookup->key);
    }
}

static enum ga_status end_lookup(const struct pieces *pieces, const struct lookup *lookup,
                                 struct ga_text_tokens *tokens, struct ga_error *error)
{
    const struct ga_text_word_cache *words = &pieces->context->words;
    size_t count;
    const int32_t *ids = lookup->kept ? ga_text_word_find(words, &lookup->key, &count) : NULL;
    if (ids) {
        return ga_text_word_append(ids, count, tokens);
    }
    const size_t before = tokens->count;
    const enum ga_status status = encode_piece(pieces, lookup->piece, tokens, error);
    if (lookup->kept && status == GA_OK) {
        ga_text_word_keep(words, &lookup->key, ga_text_tokens_from(tokens, before), tokens->count - before);
    }
    return status;
}

// Looks pieces up a few at a time, so that the memory of all of them is on its way at once.
static enum ga_status look_up(const struct pieces *pieces, struct ga_text_tokens *tokens, struct ga_error *error)
{
    struct lookup lookups[LOOKUPS];
    const struct ga_text_cuts *cuts = pieces->cuts;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < cuts->count && status == GA_OK; i += LOOKUPS) {
        const size_t count = cuts->count - i < LOOKUPS ? cuts->count - i : LOOKUPS;
        for (size_t k = 0; k < count; k++) {
            begin_lookup(pieces, cuts->items[i + k], &lookups[k]);
        }
        for (size_t k = 0; k < count && status == GA_OK; k++) {
            status = end_lookup(pieces, &lookups[k], tokens, error);
        }
    }
    return status;
}

// Cuts pieces into words, to each of which the model gives the tokens that it has in the piece. A piece that the last
// step's `after` still changes has none.
static enum ga_status cut_words(struct pieces *pieces)
{
    const struct ga_text_part *model = &pieces->context->tokenizer->model;
    const struct ga_text_model_class *class = (const void *)model->base;
    if (last_rewriting(pieces->context) || !class->has_words || !class->has_words(model->self)) {
        return GA_OK;
    }
    struct ga_text_cuts *cuts = other_cuts(pieces);
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < pieces->cuts->count; i++) {
        const struct ga_text_span piece = pieces->cuts->items[i];
        for (size_t at = piece.begin, end; at < piece.end && status == GA_OK; at = end) {
            end = class->word_end(model->self, pieces->text->bytes, piece.end, at);
            status = ga_text_cuts_append(cuts, at, end);
        }
    }
    pieces->cuts = cuts;
    return status;
}

static enum ga_status encode_pieces(struct pieces *pieces, bool details, struct ga_text_sequence *sequence,
                                    struct ga_error *error)
{
    if (details) {
        return encode_with_details(pieces, sequence, error);
    }
    enum ga_status status = pretokenize(pieces, true, error);
    status = status == GA_OK ? cut_words(pieces) : status;
    return status == GA_OK ? look_up(pieces, &sequence->tokens, error) : status;
}

// Appends the tokens of [begin, end) of a normalized text in which no added token is.
static enum ga_status encode_part(struct pieces *pieces, size_t begin, size_t end, bool details,
                                  struct ga_text_sequence *sequence, struct ga_error *error)
{
    if (begin == end) {
        return GA_OK;
    }
    struct pieces part = *pieces;
    part.cuts = &pieces->context->cuts[0];
    part.cuts->count = 0;
    const enum ga_status status = ga_text_cuts_append(part.cuts, begin, end);
    return status == GA_OK ? encode_pieces(&part, details, sequence, error) : status;
}

static enum ga_status append_normalized(struct pieces *pieces, struct ga_text_added_search *search,
                                        const struct ga_text_added_match *match, bool details,
                                        struct ga_text_sequence *sequence)
{
    const struct ga_text_span none = {0, 0};
    const struct ga_text_span span = details ? original_span(pieces, match->begin, match->end) : none;
    return ga_text_append_added(sequence, search, match, details ? pieces->text->bytes : NULL, span);
}

enum ga_status ga_text_encode_section(struct ga_text_context *context, const char *bytes, size_t length, size_t shift,
                                      struct ga_text_where where, bool details, struct ga_text_sequence *sequence,
                                      struct ga_error *error)
{
    const struct ga_text_tokenizer *tokenizer = context->tokenizer;
    const struct ga_text_string plain = {.bytes = (char *)bytes, .length = length}; // it is only read
    const struct ga_text_string *text = &plain;
    enum ga_status status = GA_OK;
    if (details || tokenizer->asks_place) {
        status = align(&context->original, bytes, length);
        text = &context->original;
    }
    status = status ? status : ga_text_normalize(context, text, where, &text, error);
    struct pieces pieces = {context, text, NULL, shift, length, where};
    size_t done = 0;
    struct ga_text_added_search search = {0};
    struct ga_text_added_match match;
    const struct ga_text_matcher *matcher = &tokenizer->added.normalized;
    while (status == GA_OK && ga_text_find_unquoted(context, matcher, (struct ga_text_bytes){text->bytes, text->length},
                                                    details ? text->spans : NULL, shift, &search, &match)) {
        status = match.begin > done ? encode_part(&pieces, done, match.begin, details, sequence, error) : GA_OK;
        status = status ? status : append_normalized(&pieces, &search, &match, details, sequence);
        done = match.end;
    }
    return status ? status : encode_part(&pieces, done, text->length, details, sequence, error);
}
