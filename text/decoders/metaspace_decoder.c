// metaspace_decoder.c: the decoder Metaspace: spaces for marks, but none for those of the first token.
#include <stdlib.h>

#include "decoder.h"
#include "metaspace.h"

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)scratch;
    (void)error;
    const struct ga_text_metaspace *m = self;
    const struct ga_text_bytes mark = {m->mark, m->mark_length};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        const bool drops_marks = i == 0 && m->scheme != GA_TEXT_NEVER;
        status = ga_text_list_replace(out, ga_text_list_at(in, i), mark, drops_marks ? "" : " ");
    }
    return status;
}

const struct ga_text_decoder_class ga_text_metaspace_decoder = {
    .base = {"Metaspace", ga_text_metaspace_open, free, NULL, NULL},
    .apply = apply,
};
