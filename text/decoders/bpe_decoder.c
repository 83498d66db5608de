// bpe_decoder.c: the decoder BPEDecoder: a space for the suffix of words, but none after the last token.
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

struct bpe_decoder {
    size_t length;
    char suffix[]; // [length]
};

static const struct ga_text_field fields[] = {{"suffix", GA_TEXT_STRING, GA_TEXT_REQUIRED, 0}};

static enum ga_status open_bpe_decoder(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct ga_text_bytes suffix;
    const enum ga_status status = ga_text_read_fields(reader, object, fields, 1, &suffix);
    if (status != GA_OK) {
        return status;
    }
    if (suffix.length == 0) {
        return ga_text_refuse(reader, "suffix", "an empty string", "the end of each word");
    }
    struct bpe_decoder *self = malloc(sizeof(*self) + suffix.length);
    if (self == NULL) {
        return ga_text_refuse_memory(reader);
    }
    self->length = suffix.length;
    memcpy(self->suffix, suffix.bytes, suffix.length);
    *self_out = self;
    return GA_OK;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)scratch;
    (void)error;
    const struct bpe_decoder *bpe = self;
    const struct ga_text_bytes suffix = {bpe->suffix, bpe->length};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        status = ga_text_list_replace(out, ga_text_list_at(in, i), suffix, i + 1 == in->cuts.count ? "" : " ");
    }
    return status;
}

const struct ga_text_decoder_class ga_text_bpe_decoder = {
    .base = {"BPEDecoder", open_bpe_decoder, free, NULL, NULL},
    .apply = apply,
};
