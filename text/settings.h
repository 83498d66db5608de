// settings.h: what a model's folder said of its texts beside the tokenizer.json, as the model's spec records it.
// Internal to libga_text. Changes no tokenizer.
#ifndef GA_TEXT_SETTINGS_H
#define GA_TEXT_SETTINGS_H

#include <stdbool.h>

// Zeroed memory is a spec that records nothing.
struct ga_text_settings {
    bool lower_case; // texts become lower case before the file's normalizer
    bool says_side;  // which end of a text truncation takes, whatever "truncation" in the file says
    bool from_left;
    bool untyped; // the model is given no types: all are 0
};

// What the text of a spec records; NULL: nothing.
struct ga_text_settings ga_text_recorded_settings(const char *spec);

#endif
