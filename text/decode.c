// decode.c: ids to text: the tokens' texts, through the decoders, joined.
#include "arguments.h"
#include "tokenizer.h"

// The texts of the ids that are kept.
static enum ga_status list_tokens(const struct ga_text_tokenizer *tokenizer, const int32_t *ids, size_t count,
                                  bool skip_special, struct ga_text_list *list)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        const struct ga_text_bytes text = ga_text_token_text(tokenizer, ids[i]);
        if (text.bytes && !(skip_special && ga_text_added_is_special(&tokenizer->added, text))) {
            status = ga_text_list_append(list, text.bytes, text.length);
        }
    }
    return status;
}

static void clear(struct ga_text_list *list)
{
    list->text.length = 0;
    list->cuts.count = 0;
}

// Without a decoder, tokens are joined by spaces.
static enum ga_status join(const struct ga_text_list *in, struct ga_text_list *out)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        const struct ga_text_bytes text = ga_text_list_at(in, i);
        status = i > 0 ? ga_text_list_append(out, " ", 1) : GA_OK;
        status = status ? status : ga_text_list_append(out, text.bytes, text.length);
    }
    return status;
}

// Runs the decoders over context->lists[0]; *last_out: which list has what comes of it.
static enum ga_status apply_decoders(struct ga_text_context *context, struct ga_text_list **last_out,
                                     struct ga_error *error)
{
    const struct ga_text_parts *parts = &context->tokenizer->decoders;
    const size_t before = context->lists[0].text.length + context->lists[0].cuts.count;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < parts->count && status == GA_OK; i++) {
        const struct ga_text_decoder_class *class = (const void *)parts->items[i].base;
        const struct ga_text_list *last = &context->lists[i % 2];
        struct ga_text_list *next = &context->lists[(i + 1) % 2];
        clear(next);
        next->text.limit = ga_text_growth_limit(before);
        status = class->apply(parts->items[i].self, context->decoders.items[i], last, next, error);
    }
    *last_out = &context->lists[parts->count % 2];
    return status;
}

enum ga_status ga_text_decode(struct ga_text_context *context, const int32_t *ids, size_t count, bool skip_special,
                              struct ga_text_view *text_out, struct ga_error *error)
{
    enum ga_status status = GA_TEXT_CHECK("ga_text_decode", error, {"context", context},
                                          {"ids", count > 0 ? (const void *)ids : ""}, {"text_out", text_out});
    if (status != GA_OK) {
        return status;
    }
    struct ga_text_list *last = &context->lists[0];
    clear(last);
    last->text.limit = 0;
    status = list_tokens(context->tokenizer, ids, count, skip_special, last);
    if (status == GA_OK && context->tokenizer->decoders.count > 0) {
        status = apply_decoders(context, &last, error);
    } else if (status == GA_OK) {
        clear(&context->lists[1]);
        context->lists[1].text.limit = 0;
        last = &context->lists[1];
        status = join(&context->lists[0], last);
    }
    *text_out = (struct ga_text_view){last->text.length ? last->text.bytes : "", last->text.length};
    if (status == GA_MEMORY || status == GA_OVERFLOW) {
        return ga_fail(error, status,
                       status == GA_MEMORY ? "no memory for the text of %zu tokens"
                                           : "the text of %zu tokens becomes too long",
                       count);
    }
    return status;
}
