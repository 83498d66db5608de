// byte_level_decoder.c: the decoder ByteLevel: the bytes that the characters of all tokens spell, as one string.
#include <stdlib.h>
#include <string.h>

#include "byte_level.h"
#include "byte_level_alphabet.h"
#include "decoder.h"
#include "lossy.h"
#include "unicode.h"

// Writes the bytes that a token spells to bytes and gives how many; the token's own where a character spells none.
static size_t token_bytes(struct ga_text_bytes token, char *bytes)
{
    size_t count = 0, length;
    for (size_t at = 0; at < token.length; at += length) {
        const int byte = ga_text_character_byte(ga_text_code_point(token.bytes + at, &length));
        if (byte < 0) {
            memcpy(bytes, token.bytes, token.length);
            return token.length;
        }
        bytes[count++] = (char)byte;
    }
    return count;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error)
{
    (void)self;
    (void)scratch;
    (void)error;
    char *bytes = malloc(in->text.length + 1);
    if (bytes == NULL) {
        return GA_MEMORY;
    }
    size_t length = 0;
    for (size_t i = 0; i < in->cuts.count; i++) {
        length += token_bytes(ga_text_list_at(in, i), bytes + length);
    }
    struct ga_text_string text = {0};
    enum ga_status status = ga_text_append_lossy(&text, bytes, length);
    status = status == GA_OK ? ga_text_list_append(out, text.bytes, text.length) : status;
    ga_text_string_free(&text);
    free(bytes);
    return status;
}

const struct ga_text_decoder_class ga_text_byte_level_decoder = {
    .base = {"ByteLevel", ga_text_byte_level_open, free, NULL, NULL},
    .apply = apply,
};
