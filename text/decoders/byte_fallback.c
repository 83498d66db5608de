// byte_fallback.c: the decoder ByteFallback: runs of tokens "<0x00>" to "<0xFF>" to the text of their bytes.
#include <string.h>

#include "decoder.h"
#include "unicode.h"

static enum ga_status open_byte_fallback(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    *self_out = NULL;
    return ga_text_read_fields(reader, object, NULL, 0, NULL);
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The byte that a token names, or -1. "+" may stand for the first digit, as Rust reads numbers.
static int byte_of(struct ga_text_bytes token)
{
    if (token.length != 6 || memcmp(token.bytes, "<0x", 3) != 0 || token.bytes[5] != '>') {
        return -1;
    }
    const int high = token.bytes[3] == '+' ? 0 : digit(token.bytes[3]), low = digit(token.bytes[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Gives the bytes that have been collected as one string, or U+FFFD for each if they are no text.
static enum ga_status give_bytes(struct ga_text_string *bytes, struct ga_text_list *out)
{
    const size_t length = bytes->length;
    bytes->length = 0;
    if (length == 0) {
        return GA_OK;
    }
    if (ga_text_valid_utf8(bytes->bytes, length) == length) {
        return ga_text_list_append(out, bytes->bytes, length);
    }
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < length && status == GA_OK; i++) {
        status = ga_text_list_append(out, "\xef\xbf\xbd", 3);
    }
    return status;
}

static enum ga_status take_token(struct ga_text_bytes token, struct ga_text_string *bytes, struct ga_text_list *out)
{
    static const struct ga_text_span none = {0, 0};
    const int byte = byte_of(token);
    if (byte >= 0) {
        const char c = (char)byte;
        return ga_text_string_append(bytes, &c, 1, none);
    }
    const enum ga_status status = give_bytes(bytes, out);
    return status == GA_OK ? ga_text_list_append(out, token.bytes, token.length) : status;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)self;
    (void)scratch;
    (void)error;
    struct ga_text_string bytes = {0};
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < in->cuts.count && status == GA_OK; i++) {
        status = take_token(ga_text_list_at(in, i), &bytes, out);
    }
    status = status == GA_OK ? give_bytes(&bytes, out) : status;
    ga_text_string_free(&bytes);
    return status;
}

const struct ga_text_decoder_class ga_text_byte_fallback_decoder = {
    .base = {"ByteFallback", open_byte_fallback, NULL, NULL, NULL},
    .apply = apply,
};
