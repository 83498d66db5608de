// unicode_forms.c: the normalizers NFC, NFD, NFKC and NFKD.
#include <stdlib.h>

#include "forms.h"
#include "normalizer.h"

// None of them has a field; which form it is, is its own address.
static enum ga_status open_form(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    *self_out = NULL;
    return ga_text_read_fields(reader, object, NULL, 0, NULL);
}

static enum ga_status open_scratch(const void *self, void **scratch_out)
{
    (void)self;
    *scratch_out = calloc(1, sizeof(struct ga_text_units));
    return *scratch_out ? GA_OK : GA_MEMORY;
}

static void close_scratch(void *scratch)
{
    if (scratch) {
        ga_text_units_free(scratch);
        free(scratch);
    }
}

static bool always(const void *self)
{
    (void)self;
    return true;
}

// No character stands for a space and others, or is joined to one, but among those of compatibility, of which U+FC5E is
// a space and a mark.
#define FORM(name, form_type, compat, composed, proof)                                                                 \
    static enum ga_status apply_##name(const void *self, void *scratch, const struct ga_text_string *in,               \
                                       struct ga_text_where where, struct ga_text_string *out, struct ga_error *error) \
    {                                                                                                                  \
        (void)self, (void)where, (void)error;                                                                          \
        return ga_text_form(in, compat, composed, scratch, out);                                                       \
    }                                                                                                                  \
    const struct ga_text_normalizer_class ga_text_##name = {                                                           \
        .base = {.type = form_type, .open = open_form, .open_scratch = open_scratch, .close_scratch = close_scratch},  \
        .apply = apply_##name,                                                                                         \
        .edges = proof,                                                                                                \
        .keeps_ascii = always,                                                                                         \
    };

FORM(nfc, "NFC", false, true, ga_text_keeps_edges)
FORM(nfd, "NFD", false, false, ga_text_keeps_edges)
FORM(nfkc, "NFKC", true, true, ga_text_loosens_edges)
FORM(nfkd, "NFKD", true, false, ga_text_loosens_edges)
