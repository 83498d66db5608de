// settings.h: what a model's folder said of its texts beside the tokenizer.json, as the model's spec records it.
// Internal to libga_text. Changes no tokenizer.
#ifndef GA_TEXT_SETTINGS_H
#define GA_TEXT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

// Zeroed memory is a spec that records nothing.
struct ga_text_settings {
    bool lower_case; // texts become lower case before the file's normalizer
    bool says_side;  // which end of a text truncation takes, whatever "truncation" in the file says
    bool from_left;
    bool untyped;     // the model is given no types: all are 0
    const char *ends; // in the spec, where the ids of tokens that end a text begin: "2, " or "{ 2, 7 }, "; NULL: none
};

// Takes the next id of ends; returns whether there was one.
bool ga_text_next_end(const char **ends, int32_t *id_out);

// What the text of a spec records, which it borrows; NULL: nothing.
struct ga_text_settings ga_text_recorded_settings(const char *spec);

#endif
