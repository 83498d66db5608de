// decode.c: ids to text: the tokens' texts, through the decoders, joined.
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

enum ga_status ga_text_decode(struct ga_text_context *context, const int32_t *ids, size_t count, bool skip_special,
                              struct ga_text_view *text_out, struct ga_error *error)
{
    const struct ga_text_parts *parts = &context->tokenizer->decoders;
    struct ga_text_list *last = &context->lists[0], *next = &context->lists[1];
    clear(last);
    clear(next);
    enum ga_status status = list_tokens(context->tokenizer, ids, count, skip_special, last);
    for (size_t i = 0; i <= parts->count && status == GA_OK; i++) {
        if (i == parts->count && parts->count > 0) {
            break;
        }
        const struct ga_text_decoder_class *class = i < parts->count ? (const void *)parts->items[i].base : NULL;
        clear(next);
        status = class ? class->apply(parts->items[i].self, context->decoders.items[i], last, next, error)
                       : join(last, next);
        struct ga_text_list *swapped = last;
        last = next;
        next = swapped;
    }
    *text_out = (struct ga_text_view){last->text.bytes, last->text.length};
    if (status == GA_MEMORY || status == GA_OVERFLOW) {
        return ga_fail(error, status, "no memory for the text of %zu tokens", count);
    }
    return status;
}
