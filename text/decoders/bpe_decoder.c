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

static bool is_suffix_at(const struct bpe_decoder *self, struct ga_text_bytes token, size_t at)
{
    return token.length - at >= self->length && memcmp(token.bytes + at, self->suffix, self->length) == 0;
}

static enum ga_status write_token(const struct bpe_decoder *self, struct ga_text_bytes token, bool is_last,
                                  struct ga_text_string *out)
{
    static const struct ga_text_span none = {0, 0};
    enum ga_status status = GA_OK;
    for (size_t at = 0; at < token.length && status == GA_OK;) {
        if (is_suffix_at(self, token, at)) {
            status = is_last ? GA_OK : ga_text_string_append(out, " ", 1, none);
            at += self->length;
        } else {
            status = ga_text_string_append(out, token.bytes + at, 1, none);
            at++;
        }
    }
    return status;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)scratch;
    (void)error;
    struct ga_text_string text = {0};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        text.length = 0;
        status = write_token(self, ga_text_list_at(in, i), i + 1 == in->cuts.count, &text);
        status = status == GA_OK ? ga_text_list_append(out, text.bytes, text.length) : status;
    }
    ga_text_string_free(&text);
    return status;
}

const struct ga_text_decoder_class ga_text_bpe_decoder = {
    .base = {"BPEDecoder", open_bpe_decoder, free, NULL, NULL},
    .apply = apply,
};
