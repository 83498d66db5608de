// regex.h: a regular expression as the tokenizers package reads it, by Oniguruma's Ruby syntax, rewritten to what PCRE2
// reads the same way. Compiles nothing. Internal to libga_text.
#ifndef GA_TEXT_REGEX_H
#define GA_TEXT_REGEX_H

#include "reader.h"

// Appends to `out` what PCRE2 is to compile for `regex`. What the two read in two ways is spelled out: \s \w \d \h and
// their opposites, \b, ^ and $, \v, \u, classes such as [[:punct:]], {,n}, (?m). Refuses what has no counterpart.
// Returns GA_OK; GA_FORMAT or GA_MEMORY after an entry in the reader's error.
enum ga_status ga_text_regex_rewrite(struct ga_text_reader *reader, struct ga_text_bytes regex,
                                     struct ga_text_string *out);

#endif
