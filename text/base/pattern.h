// pattern.h: what `Replace` and `Split` look for: a string, or a regular expression that PCRE2 runs within limits.
// Internal to libga_text.
#ifndef GA_TEXT_PATTERN_H
#define GA_TEXT_PATTERN_H

#include "reader.h"

struct ga_text_pattern; // const after it is opened, but for the match memory in each scratch

// Opens { "String": text } or { "Regex": text }, the value of the field "pattern". Returns GA_OK, GA_FORMAT or
// GA_MEMORY after an entry in the reader's error. The caller closes it.
enum ga_status ga_text_pattern_open(struct ga_text_reader *reader, json_t *value, struct ga_text_pattern **pattern_out);
void ga_text_pattern_close(struct ga_text_pattern *pattern);

// The text of the pattern and whether it is a regular expression. Borrowed.
struct ga_text_bytes ga_text_pattern_text(const struct ga_text_pattern *pattern, bool *is_regex_out);

// Memory for matching in one thread.
enum ga_status ga_text_pattern_open_scratch(const struct ga_text_pattern *pattern, void **scratch_out);
void ga_text_pattern_close_scratch(void *scratch);

// Begins to look for matches in a text of `length` bytes: all of them together may take steps in proportion to it.
void ga_text_pattern_begin(void *scratch, size_t length);

// Finds the first match in bytes[length] that begins at `from` or later; *found_out: whether there is one. Look-behinds
// see what is before `from`. Returns GA_OK, GA_MEMORY, or GA_FORMAT after an entry in error where the limits of
// this match, or those of all since ga_text_pattern_begin, were passed.
enum ga_status ga_text_pattern_find(const struct ga_text_pattern *pattern, void *scratch, const char *bytes,
                                    size_t length, size_t from, struct ga_text_span *match_out, bool *found_out,
                                    struct ga_error *error);

// Where to look for the match after this one: at its end, or a character later where it is empty; above length where
// there is nothing left.
size_t ga_text_pattern_after(struct ga_text_span match, const char *bytes, size_t length);

#endif
