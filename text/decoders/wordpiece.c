// wordpiece.c: the decoder WordPiece: spaces before tokens that have no prefix, and English punctuation tidied up.
#include <stdlib.h>
#include <string.h>

#include "decoder.h"

struct wordpiece {
    bool cleanup;
    size_t length;
    char prefix[];
};

struct wordpiece_fields {
    struct ga_text_bytes prefix;
    bool cleanup;
};

static const struct ga_text_field fields[] = {
    {"prefix", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, prefix)},
    {"cleanup", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct wordpiece_fields, cleanup)},
};

static enum ga_status open_wordpiece(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct wordpiece_fields given = {{NULL, 0}, false};
    const enum ga_status status = ga_text_read_fields(reader, object, fields, 2, &given);
    if (status != GA_OK) {
        return status;
    }
    struct wordpiece *wordpiece = malloc(sizeof *wordpiece + given.prefix.length);
    if (!wordpiece) {
        return ga_text_refuse_memory(reader);
    }
    wordpiece->cleanup = given.cleanup;
    wordpiece->length = given.prefix.length;
    memcpy(wordpiece->prefix, given.prefix.bytes, given.prefix.length);
    *self_out = wordpiece;
    return GA_OK;
}

// What cleanup replaces in each string, one after the other; what comes of it is never longer.
static const struct tidying {
    const char *from, *to;
} tidyings[] = {
    {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},    {" n't", "n't"},
    {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
};

static size_t tidy(char *bytes, size_t length, const struct tidying *tidying)
{
    const size_t from = strlen(tidying->from), to = strlen(tidying->to);
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        if (length - i >= from && memcmp(bytes + i, tidying->from, from) == 0) {
            memcpy(bytes + kept, tidying->to, to);
            kept += to;
            i += from;
        } else {
            bytes[kept++] = bytes[i++];
        }
    }
    return kept;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)scratch, (void)error;
    const struct wordpiece *wordpiece = self;
    const struct ga_text_span none = {0, 0};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        struct ga_text_bytes string = ga_text_list_at(in, i);
        const size_t begin = out->text.length;
        const bool continues = i > 0 && string.length >= wordpiece->length &&
                               memcmp(string.bytes, wordpiece->prefix, wordpiece->length) == 0;
        if (continues) {
            string.bytes += wordpiece->length;
            string.length -= wordpiece->length;
        }
        status = i > 0 && !continues ? ga_text_string_append(&out->text, " ", 1, none) : GA_OK;
        status = status ? status : ga_text_string_append(&out->text, string.bytes, string.length, none);
        for (size_t k = 0; wordpiece->cleanup && status == GA_OK && k < sizeof tidyings / sizeof *tidyings; k++) {
            out->text.length = begin + tidy(out->text.bytes + begin, out->text.length - begin, &tidyings[k]);
        }
        status = status ? status : ga_text_list_end(out, begin);
    }
    return status;
}

const struct ga_text_decoder_class ga_text_wordpiece_decoder = {
    .base = {.type = "WordPiece", .open = open_wordpiece, .close = free},
    .apply = apply,
};
