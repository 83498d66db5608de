// encode.c: a text and its pair, to the arrays of an encoding.
#include <string.h>

#include "arguments.h"
#include "byte_level_offsets.h"
#include "lossy.h"
#include "tokenizer.h"
#include "unicode.h"

enum {
    LONGEST = 1 << 30, // bytes of a text
    CHUNKS = 16,       // that are looked up together, so that the memory of all of them is on its way at once
};

// -- Texts that are not UTF-8 ----------------------------------------------------------------------------------------

// Makes *text valid UTF-8, or refuses it.
static enum ga_status check_text(struct ga_text_string *valid, struct ga_text_bytes *text, unsigned flags,
                                 struct ga_error *error)
{
    if (text->length > LONGEST) {
        return ga_fail(error, GA_OVERFLOW, "a text of %zu bytes; expected at most %d", text->length, LONGEST);
    }
    const size_t good = ga_text_valid_utf8(text->bytes, text->length);
    if (good == text->length) {
        return GA_OK;
    }
    if (!(flags & GA_TEXT_REPLACE_INVALID)) {
        return ga_fail_at(error, GA_FORMAT, GA_FAULT_NONE, good, "byte %zu of the text, 0x%02X, is not UTF-8", good,
                          (unsigned)(unsigned char)text->bytes[good]);
    }
    valid->length = 0;
    const enum ga_status status = ga_text_append_lossy(valid, text->bytes, text->length);
    *text = (struct ga_text_bytes){valid->bytes, valid->length};
    return status;
}

// -- One text --------------------------------------------------------------------------------------------------------

// Chunks are kept with pieces, by where they stand.
static unsigned place_of(struct ga_text_where where)
{
    return 4 | (where.section_start ? 1 : 0) | (where.text_start ? 2 : 0);
}

// A chunk on its way to those that are known.
struct chunk {
    struct ga_text_bytes text;
    struct ga_text_where where;
    struct ga_text_word_key key; // if it is short enough
};

// Finds the next chunks of text[at, end), at most CHUNKS; returns how many, and where they end in *at.
static size_t begin_chunks(const struct ga_text_context *context, struct ga_text_bytes text, size_t *at, size_t end,
                           struct ga_text_where *where, struct chunk chunks[CHUNKS])
{
    size_t count = 0;
    for (; *at < end && count < CHUNKS; count++) {
        struct chunk *chunk = &chunks[count];
        const size_t next = ga_text_chunk_end(text.bytes, end, *at);
        chunk->text = (struct ga_text_bytes){text.bytes + *at, next - *at};
        chunk->where = *where;
        if (chunk->text.length <= GA_TEXT_WORD_BYTES) {
            ga_text_word_begin(&context->words, chunk->text.bytes, chunk->text.length, place_of(*where), &chunk->key);
        }
        *where = (struct ga_text_where){false, false};
        *at = next;
    }
    return count;
}

static enum ga_status end_chunk(struct ga_text_context *context, const struct chunk *chunk,
                                struct ga_text_sequence *sequence, struct ga_error *error)
{
    struct ga_text_tokens *tokens = &sequence->tokens;
    const bool kept = chunk->text.length <= GA_TEXT_WORD_BYTES;
    size_t count;
    const int32_t *ids = kept ? ga_text_word_find(&context->words, &chunk->key, &count) : NULL;
    if (ids) {
        return ga_text_word_append(ids, count, tokens);
    }
    const size_t before = tokens->count;
    const enum ga_status status =
        ga_text_encode_section(context, chunk->text.bytes, chunk->text.length, 0, chunk->where, false, sequence, error);
    if (kept && status == GA_OK) {
        ga_text_word_keep(&context->words, &chunk->key, ga_text_tokens_from(tokens, before), tokens->count - before);
    }
    return status;
}

// Tokens of many short sections may be more than a text of their length has: each may begin with what is prepended.
static enum ga_status check_growth(const struct ga_text_sequence *sequence, struct ga_text_bytes text)
{
    const size_t limit = ga_text_growth_limit(text.length);
    return sequence->tokens.count > limit || sequence->surfaces.length > limit ? GA_OVERFLOW : GA_OK;
}

static enum ga_status encode_section(struct ga_text_context *context, struct ga_text_bytes text, size_t begin,
                                     size_t end, bool details, struct ga_text_sequence *sequence,
                                     struct ga_error *error)
{
    struct ga_text_where where = {.section_start = true, .text_start = begin == 0};
    if (begin == end) {
        return GA_OK;
    }
    if (details || !context->tokenizer->is_local) {
        return ga_text_encode_section(context, text.bytes + begin, end - begin, begin, where, details, sequence, error);
    }
    struct chunk chunks[CHUNKS];
    enum ga_status status = GA_OK;
    for (size_t at = begin; at < end && status == GA_OK;) {
        const size_t count = begin_chunks(context, text, &at, end, &where, chunks);
        for (size_t i = 0; i < count && status == GA_OK; i++) {
            status = end_chunk(context, &chunks[i], sequence, error);
        }
        status = status ? status : check_growth(sequence, text);
    }
    return status;
}

// Fills sequence with the tokens of a text.
static enum ga_status encode_text(struct ga_text_context *context, struct ga_text_bytes text, bool details,
                                  struct ga_text_sequence *sequence, struct ga_error *error)
{
    const struct ga_text_matcher *matcher = &context->tokenizer->added.raw;
    struct ga_text_added_search search = {0};
    struct ga_text_added_match match;
    enum ga_status status = GA_OK;
    size_t done = 0;
    sequence->tokens.count = 0;
    sequence->surfaces.length = 0;
    while (status == GA_OK && ga_text_find_unquoted(context, matcher, text, NULL, 0, &search, &match)) {
        if (match.begin > done) {
            status = encode_section(context, text, done, match.begin, details, sequence, error);
        }
        const struct ga_text_span span = {(uint32_t)match.begin, (uint32_t)match.end};
        status = status ? status : ga_text_append_added(sequence, &search, &match, details ? text.bytes : NULL, span);
        status = status ? status : check_growth(sequence, text);
        done = match.end;
    }
    return status ? status : encode_section(context, text, done, text.length, details, sequence, error);
}

// -- Offsets ---------------------------------------------------------------------------------------------------------

// The number of the character that each byte of text is in.
static enum ga_status count_characters(struct ga_text_context *context, struct ga_text_bytes text)
{
    const enum ga_status status =
        ga_text_grow(&context->out.characters, &context->out.characters_room, 0, text.length + 1, sizeof(uint32_t));
    uint32_t count = 0, *characters = context->out.characters;
    for (size_t i = 0; i < text.length && status == GA_OK; i++) {
        count += i > 0 && ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
        characters[i] = count;
    }
    return status;
}

// Bytes of the text to its characters, as the package counts: what begins beyond the text stays as it is.
static struct ga_text_span in_characters(const uint32_t *characters, size_t length, struct ga_text_span bytes)
{
    if (bytes.begin >= length) {
        return bytes;
    }
    const uint32_t begin = characters[bytes.begin];
    if (bytes.end < length) {
        return (struct ga_text_span){begin, characters[bytes.end]};
    }
    return (struct ga_text_span){begin, (bytes.end - 1 < length ? characters[bytes.end - 1] : begin + 1) + 1};
}

static struct ga_text_bytes token_text(const struct ga_text_context *context, const struct ga_text_sequence *sequence,
                                       size_t i)
{
    const struct ga_text_span span = sequence->texts[i];
    if (span.begin == UINT32_MAX) {
        const struct ga_text_part *model = &context->tokenizer->model;
        const struct ga_text_model_class *class = (const void *)model->base;
        return ga_text_vocabulary_token(class->vocabulary(model->self), sequence->tokens.items[i].id);
    }
    return (struct ga_text_bytes){sequence->surfaces.bytes + span.begin, span.end - span.begin};
}

// Turns the bytes of a sequence's tokens into characters.
static enum ga_status make_offsets(struct ga_text_context *context, struct ga_text_bytes text,
                                   struct ga_text_sequence *sequence)
{
    const enum ga_status status = count_characters(context, text);
    for (size_t i = 0; i < sequence->tokens.count && status == GA_OK; i++) {
        struct ga_text_token *token = &sequence->tokens.items[i];
        struct ga_text_span span = {token->begin, token->end};
        span = in_characters(context->out.characters, text.length, span);
        token->begin = span.begin;
        token->end = span.end;
    }
    return status;
}

// -- The arrays ------------------------------------------------------------------------------------------------------

static enum ga_status make_room(struct ga_text_context *context, size_t count, bool details)
{
    enum ga_status status = ga_text_grow(&context->out.ids, &context->out.ids_room, 0, count + 1, sizeof(int32_t));
    status = status ? status
                    : ga_text_grow(&context->out.type_ids, &context->out.type_ids_room, 0, count + 1, sizeof(int32_t));
    status = status ? status : ga_text_grow(&context->out.special, &context->out.special_room, 0, count + 1, 1);
    if (details && status == GA_OK) {
        status = ga_text_grow(&context->out.offsets, &context->out.offsets_room, 0, count + 1,
                              sizeof(struct ga_text_offset));
        status = status ? status
                        : ga_text_grow(&context->out.tokens, &context->out.tokens_room, 0, count + 1,
                                       sizeof(struct ga_text_view));
    }
    return status;
}

// What of a sequence is kept.
struct range {
    size_t begin, end;
};

static struct ga_text_offset offset_of(const struct ga_text_post *post, const struct ga_text_token *token,
                                       struct ga_text_bytes text, bool first)
{
    struct ga_text_span span = {token->begin, token->end};
    if (post->trims) {
        ga_text_trim_offsets(text, post->add_prefix_space, first, &span);
    }
    return (struct ga_text_offset){span.begin, span.end};
}

// Writes the tokens of one text from place `at` on.
static void write_sequence(struct ga_text_context *context, const struct ga_text_sequence *sequence, struct range range,
                           const struct ga_text_place *place, size_t at, bool details)
{
    int32_t *ids = context->out.ids, *type_ids = context->out.type_ids;
    struct ga_text_offset *offsets = context->out.offsets;
    struct ga_text_view *tokens = context->out.tokens;
    const size_t count = range.end - range.begin;
    const struct ga_text_token *from = ga_text_tokens_from(&sequence->tokens, range.begin);
    for (size_t i = 0; i < count; i++) {
        ids[at + i] = from[i].id;
        type_ids[at + i] = place->type_id;
    }
    memset((uint8_t *)context->out.special + at, 0, count);
    for (size_t i = 0; details && i < count; i++) {
        const struct ga_text_bytes text = token_text(context, sequence, range.begin + i);
        offsets[at + i] = offset_of(&context->tokenizer->post, &from[i], text, i == 0);
        tokens[at + i] = (struct ga_text_view){text.bytes, text.length};
    }
}

static void write_special(struct ga_text_context *context, const struct ga_text_place *place, size_t at, bool details)
{
    ((int32_t *)context->out.ids)[at] = place->id;
    ((int32_t *)context->out.type_ids)[at] = place->type_id;
    ((uint8_t *)context->out.special)[at] = 1;
    if (details) {
        ((struct ga_text_offset *)context->out.offsets)[at] = (struct ga_text_offset){0, 0};
        ((struct ga_text_view *)context->out.tokens)[at] = (struct ga_text_view){place->token, place->length};
    }
}

// How many tokens a template gives, which may have a text in 64 places.
static size_t count_places(const struct ga_text_template *template, const struct range *ranges, bool adds)
{
    size_t count = 0;
    for (size_t i = 0; i < template->count; i++) {
        const int what = template->places[i].what;
        count += what == GA_TEXT_SPECIAL ? adds : ranges[what].end - ranges[what].begin;
    }
    return count;
}

static enum ga_status write_encoding(struct ga_text_context *context, const struct ga_text_template *template,
                                     const struct range *ranges, unsigned flags, size_t limit,
                                     struct ga_text_encoding *encoding_out)
{
    const bool adds = !(flags & GA_TEXT_NO_SPECIAL_TOKENS), details = flags & GA_TEXT_OFFSETS;
    const size_t count = count_places(template, ranges, adds);
    const enum ga_status status = count > limit ? GA_OVERFLOW : make_room(context, count, details);
    if (status != GA_OK) {
        return status;
    }
    size_t at = 0;
    for (size_t i = 0; i < template->count; i++) {
        const struct ga_text_place *place = &template->places[i];
        if (place->what != GA_TEXT_SPECIAL) {
            write_sequence(context, &context->sequences[place->what], ranges[place->what], place, at, details);
            at += ranges[place->what].end - ranges[place->what].begin;
        } else if (adds) {
            write_special(context, place, at++, details);
        }
    }
    encoding_out->count = count;
    encoding_out->ids = context->out.ids;
    encoding_out->type_ids = context->out.type_ids;
    encoding_out->special = context->out.special;
    encoding_out->offsets = details ? context->out.offsets : NULL;
    encoding_out->tokens = details ? context->out.tokens : NULL;
    return GA_OK;
}

// What truncation leaves of both sequences.
static enum ga_status truncate_sequences(const struct ga_text_context *context, const struct ga_text_template *template,
                                         bool is_pair, unsigned flags, struct range ranges[2], struct ga_error *error)
{
    const struct ga_text_post *post = &context->tokenizer->post;
    const size_t counts[2] = {context->sequences[0].tokens.count, is_pair ? context->sequences[1].tokens.count : 0};
    size_t kept[2] = {counts[0], counts[1]};
    const bool is_limited = context->max_length < SIZE_MAX;
    const size_t own = post->truncates ? post->max_length : SIZE_MAX;
    const size_t max_length = is_limited ? context->max_length : own;
    const enum ga_text_strategy strategy = is_limited ? GA_TEXT_LONGEST_FIRST : post->strategy;
    if (max_length < SIZE_MAX && !(flags & GA_TEXT_NO_TRUNCATION)) {
        const size_t special = flags & GA_TEXT_NO_SPECIAL_TOKENS ? 0 : template->n_special;
        if (special > max_length) {
            return ga_fail(error, GA_FORMAT, "truncation to %zu tokens leaves no room for %zu special ones", max_length,
                           special);
        }
        if (!ga_text_truncate(strategy, counts, is_pair, max_length - special, kept)) {
            return ga_fail(error, GA_FORMAT, "truncation to %zu tokens cannot be done by cutting the %s text alone",
                           max_length, strategy == GA_TEXT_ONLY_FIRST ? "first" : "second");
        }
    }
    for (int i = 0; i < 2; i++) {
        const size_t begin = post->from_left ? counts[i] - kept[i] : 0;
        ranges[i] = (struct range){begin, begin + kept[i]};
    }
    return GA_OK;
}

enum ga_status ga_text_encode(struct ga_text_context *context, const char *text, size_t length, const char *pair,
                              size_t pair_length, unsigned flags, struct ga_text_encoding *encoding_out,
                              struct ga_error *error)
{
    const bool details = flags & GA_TEXT_OFFSETS;
    struct ga_text_bytes texts[2] = {{text, length}, {pair, pair_length}};
    enum ga_status status = GA_TEXT_CHECK("ga_text_encode", error, {"context", context},
                                          {"text", length > 0 ? text : ""}, {"encoding_out", encoding_out});
    if (status != GA_OK) {
        return status;
    }
    *encoding_out = (struct ga_text_encoding){0};
    for (int i = 0; i < (pair ? 2 : 1) && status == GA_OK; i++) {
        status = check_text(&context->valid[i], &texts[i], flags, error);
        status = status ? status : encode_text(context, texts[i], details, &context->sequences[i], error);
        status = status || !details ? status : make_offsets(context, texts[i], &context->sequences[i]);
    }
    const struct ga_text_post *post = &context->tokenizer->post;
    const struct ga_text_template *template = pair ? &post->pair : &post->single;
    struct range ranges[2] = {{0, 0}, {0, 0}};
    status = status ? status : truncate_sequences(context, template, pair != NULL, flags, ranges, error);
    if (status == GA_OK) {
        const size_t limit = ga_text_growth_limit(texts[0].length + (pair ? texts[1].length : 0));
        status = write_encoding(context, template, ranges, flags, limit, encoding_out);
        encoding_out->n_cut = context->sequences[0].tokens.count - (ranges[0].end - ranges[0].begin) +
                              (pair ? context->sequences[1].tokens.count - (ranges[1].end - ranges[1].begin) : 0);
    }
    if (status == GA_MEMORY || (status == GA_OVERFLOW && length <= LONGEST && pair_length <= LONGEST)) {
        return ga_fail(error, status,
                       status == GA_MEMORY
                           ? "no memory for the tokens of a text of %zu bytes"
                           : "a text of %zu bytes becomes too many tokens, or too long when it is normalized",
                       length);
    }
    return status;
}

// -- Quotes ----------------------------------------------------------------------------------------------------------

enum ga_status ga_text_encode_quoting(struct ga_text_context *context, const struct ga_text_quotes *quotes,
                                      struct ga_text_encoding *encoding_out, struct ga_error *error)
{
    const struct ga_text_bytes text = {quotes->text, quotes->length};
    struct ga_text_bytes valid = text;
    enum ga_status status = check_text(&context->valid[0], &valid, 0, error);
    context->quotes = quotes;
    status = status ? status : encode_text(context, text, true, &context->sequences[0], error);
    status = status ? status : ga_text_check_quotes(context, error);
    context->quotes = NULL;
    const struct ga_text_template *template = &context->tokenizer->post.single;
    const struct range ranges[2] = {{0, status == GA_OK ? context->sequences[0].tokens.count : 0}, {0, 0}};
    status =
        status ? status : write_encoding(context, template, ranges, GA_TEXT_NO_SPECIAL_TOKENS, SIZE_MAX, encoding_out);
    return status == GA_MEMORY || status == GA_OVERFLOW
               ? ga_fail(error, status, "no memory for the tokens of a chat of %zu bytes", text.length)
               : status;
}
