// name_suggestion.h: whether one name is a misspelling of another, for messages. Knows no names. Not a header users
// include.
#ifndef GA_NAME_SUGGESTION_H
#define GA_NAME_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GA_SUGGESTION_LONGEST = 256 }; // bytes of a name; a longer one is near no other

#define GA_NO_SUGGESTION SIZE_MAX // the distance of words that are not misspellings

// Letters to insert, delete, replace or swap with their neighbour that make `name` of `word`, or GA_NO_SUGGESTION where
// these are more than a misspelling has: one in four letters of the shorter, 3 at most, none of names below 3 letters.
// generator/base/text.lua has the same rule.
size_t ga_edit_distance(const char *word, const char *name);

// Whether word, of at least 3 letters, is the beginning or the end of name between '_', '-' and '.': "heads" of
// "n_heads".
bool ga_is_name_part(const char *word, const char *name);

// The one of names[count] that word most likely stands for, the first of equals: one that it misspells, or else the
// shortest that it is a part of; NULL where there is neither.
const char *ga_suggest_name(const char *word, const char *const *names, size_t count);

#endif
