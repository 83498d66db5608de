// forms.h: Unicode's normalization forms, with alignment. Internal to libga_text.
#ifndef GA_TEXT_FORMS_H
#define GA_TEXT_FORMS_H

#include "bytes.h"

// A character on its way: change as ga_text_put takes it.
struct ga_text_unit {
    uint32_t code_point;
    int32_t change;
    uint32_t combining_class;
};

// Characters that grow. Zeroed memory is an empty list.
struct ga_text_units {
    struct ga_text_unit *items; // [count], room for capacity
    struct ga_text_unit *spare; // room for spare_capacity, to sort with
    size_t count, capacity, spare_capacity;
};

// Appends the form of in to out: compat: NFKC and NFKD, else NFC and NFD; composed: NFC and NFKC. units is emptied and
// used. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_form(const struct ga_text_string *in, bool compat, bool composed, struct ga_text_units *units,
                            struct ga_text_string *out);

void ga_text_units_free(struct ga_text_units *units);

// Whether all bytes are below 0x80.
bool ga_text_is_ascii(const char *bytes, size_t length);

#endif
