// simple.c: the decoders Strip, Fuse and Replace.
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "replace.h"
#include "unicode.h"

// -- Fuse -----------------------------------------------------------------------------------------------------------

static enum ga_status open_fuse(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    *self_out = NULL;
    return ga_text_read_fields(reader, object, NULL, 0, NULL);
}

static enum ga_status fuse(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                           struct ga_error *error)
{
    (void)self, (void)scratch, (void)error;
    return ga_text_list_append(out, in->text.bytes, in->text.length); // its strings lie one after the other
}

const struct ga_text_decoder_class ga_text_fuse_decoder = {
    .base = {.type = "Fuse", .open = open_fuse},
    .apply = fuse,
};

// -- Strip ----------------------------------------------------------------------------------------------------------

struct strip {
    struct ga_text_bytes content; // while it is read
    char character[4];
    size_t length; // of character
    int64_t start, stop;
};

static const struct ga_text_field strip_fields[] = {
    {"content", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct strip, content)},
    {"start", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct strip, start)},
    {"stop", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct strip, stop)},
};

static enum ga_status check_strip(struct ga_text_reader *reader, struct strip *strip)
{
    if (strip->content.length == 0) {
        return ga_text_refuse(reader, "content", "\"\"", "one character");
    }
    ga_text_code_point(strip->content.bytes, &strip->length);
    if (strip->length != strip->content.length) {
        return ga_text_refuse(reader, "content", strip->content.bytes, "one character");
    }
    if (strip->start < 0 || strip->stop < 0) {
        return ga_text_refuse(reader, strip->start < 0 ? "start" : "stop", "a negative number", "0 or more");
    }
    memcpy(strip->character, strip->content.bytes, strip->length);
    return GA_OK;
}

static enum ga_status open_strip(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct strip *strip = calloc(1, sizeof *strip);
    if (!strip) {
        return ga_text_refuse_memory(reader);
    }
    enum ga_status status = ga_text_read_fields(reader, object, strip_fields, 3, strip);
    status = status == GA_OK ? check_strip(reader, strip) : status;
    if (status != GA_OK) {
        free(strip);
        return status;
    }
    *self_out = strip;
    return GA_OK;
}

static bool is_at(const struct strip *strip, struct ga_text_bytes string, size_t at)
{
    return at <= string.length && string.length - at >= strip->length &&
           memcmp(string.bytes + at, strip->character, strip->length) == 0;
}

static enum ga_status apply_strip(const void *self, void *scratch, const struct ga_text_list *in,
                                  struct ga_text_list *out, struct ga_error *error)
{
    (void)scratch, (void)error;
    const struct strip *strip = self;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        const struct ga_text_bytes string = ga_text_list_at(in, i);
        size_t begin = 0, end = string.length;
        for (int64_t k = 0; k < strip->start && is_at(strip, string, begin); k++) {
            begin += strip->length;
        }
        for (int64_t k = 0;
             k < strip->stop && end >= begin + strip->length && is_at(strip, string, end - strip->length); k++) {
            end -= strip->length;
        }
        status = ga_text_list_append(out, string.bytes + begin, end - begin);
    }
    return status;
}

const struct ga_text_decoder_class ga_text_strip_decoder = {
    .base = {.type = "Strip", .open = open_strip, .close = free},
    .apply = apply_strip,
};

// -- Replace --------------------------------------------------------------------------------------------------------

static enum ga_status apply_replace(const void *self, void *scratch, const struct ga_text_list *in,
                                    struct ga_text_list *out, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        const struct ga_text_span span = in->cuts.items[i];
        const struct ga_text_string one = {.bytes = in->text.bytes + span.begin, .length = span.end - span.begin};
        const size_t begin = out->text.length;
        status = one.length ? ga_text_replace_apply(self, scratch, &one, &out->text, error) : GA_OK;
        status = status == GA_OK ? ga_text_list_end(out, begin) : status;
    }
    return status;
}

const struct ga_text_decoder_class ga_text_replace_decoder = {
    .base = {.type = "Replace",
             .open = ga_text_replace_open,
             .close = ga_text_replace_close,
             .open_scratch = ga_text_replace_open_scratch,
             .close_scratch = ga_text_pattern_close_scratch},
    .apply = apply_replace,
};
