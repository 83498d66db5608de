// metaspace_decoder.c: the decoder Metaspace: spaces for marks, but none for those of the first token.
#include <stdlib.h>

#include "decoder.h"
#include "metaspace.h"

static enum ga_status write_token(const struct ga_text_metaspace *m, struct ga_text_bytes token, bool drops_marks,
                                  struct ga_text_string *out)
{
    static const struct ga_text_span none = {0, 0};
    enum ga_status status = GA_OK;
    for (size_t at = 0; at < token.length && status == GA_OK;) {
        if (!ga_text_metaspace_is_at(m, token.bytes, at, token.length)) {
            status = ga_text_string_append(out, token.bytes + at, 1, none);
            at++;
        } else {
            status = drops_marks ? GA_OK : ga_text_string_append(out, " ", 1, none);
            at += m->mark_length;
        }
    }
    return status;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)scratch;
    (void)error;
    const struct ga_text_metaspace *m = self;
    struct ga_text_string text = {0};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        text.length = 0;
        status = write_token(m, ga_text_list_at(in, i), i == 0 && m->scheme != GA_TEXT_NEVER, &text);
        status = status == GA_OK ? ga_text_list_append(out, text.bytes, text.length) : status;
    }
    ga_text_string_free(&text);
    return status;
}

const struct ga_text_decoder_class ga_text_metaspace_decoder = {
    .base = {"Metaspace", ga_text_metaspace_open, free, NULL, NULL},
    .apply = apply,
};
