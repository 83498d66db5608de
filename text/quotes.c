// quotes.c: which added tokens of a text are none, since they stand in somebody's words. Finds no words.
#include <string.h>

#include "tokenizer.h"
#include "unicode.h"

static bool overlaps(struct ga_text_span a, struct ga_text_span b)
{
    return a.begin < b.end && b.begin < a.end;
}

static bool is_quote(const struct ga_text_quotes *quotes, struct ga_text_span span)
{
    bool found = false;
    for (size_t i = 0; i < quotes->count; i++) {
        found = found || overlaps(quotes->spans[i], span);
    }
    return found;
}

static bool ends_text(const struct ga_text_tokenizer *tokenizer, int32_t id)
{
    bool found = false;
    for (size_t i = 0; i < tokenizer->n_ends && !found; i++) {
        found = tokenizer->ends[i] == id;
    }
    return found;
}

static bool is_blank(struct ga_text_bytes text)
{
    size_t size = 1;
    bool blank = true;
    for (size_t at = 0; at < text.length && blank; at += size) {
        blank = ga_text_is_whitespace(ga_text_code_point(text.bytes + at, &size));
    }
    return blank;
}

// Whether the text has these bytes outside its quotes.
static bool is_markup(const struct ga_text_quotes *quotes, struct ga_text_bytes bytes)
{
    bool found = false;
    for (size_t i = 0, begin = 0; i <= quotes->count && !found; i++) {
        const size_t end = i < quotes->count ? quotes->spans[i].begin : quotes->length;
        found = ga_text_contains((struct ga_text_bytes){quotes->text + begin, end - begin}, bytes);
        begin = i < quotes->count ? quotes->spans[i].end : end;
    }
    return found;
}

bool ga_text_is_quoted(const struct ga_text_context *context, const struct ga_text_added_token *token,
                       struct ga_text_span span)
{
    const struct ga_text_quotes *quotes = context->quotes;
    const struct ga_text_bytes content = {token->content, token->length};
    return quotes != NULL && is_quote(quotes, span) &&
           (token->special || ends_text(context->tokenizer, token->id) ||
            (!is_blank(content) && is_markup(quotes, content)));
}

bool ga_text_find_unquoted(const struct ga_text_context *context, const struct ga_text_matcher *matcher,
                           struct ga_text_bytes text, const struct ga_text_span *spans, size_t shift,
                           struct ga_text_added_search *search, struct ga_text_added_match *match_out)
{
    const size_t taken = search->taken;
    while (ga_text_added_find(matcher, text.bytes, text.length, search, match_out)) {
        const struct ga_text_added_token *token = match_out->token;
        const size_t length = matcher->normalized ? ga_text_added_text(token).length : token->length;
        const size_t end = search->from, begin = end - length;
        const struct ga_text_span span = {(uint32_t)(shift + (spans ? spans[begin].begin : begin)),
                                          (uint32_t)(shift + (spans ? spans[end - 1].end : end))};
        if (!ga_text_is_quoted(context, token, span)) {
            return true;
        }
        search->from = begin + 1;
        search->taken = taken;
    }
    return false;
}

// A model may have a special token among its own pieces, which no search for added tokens finds.
enum ga_status ga_text_check_quotes(const struct ga_text_context *context, struct ga_error *error)
{
    const struct ga_text_tokens *tokens = &context->sequences[0].tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct ga_text_token token = tokens->items[i];
        const struct ga_text_added_token *added = ga_text_added_of(&context->tokenizer->added, token.id);
        if (added && ga_text_is_quoted(context, added, (struct ga_text_span){token.begin, token.end})) {
            return ga_fail(error, GA_FORMAT, "a message has the special token %.60s; expected text", added->content);
        }
    }
    return GA_OK;
}
