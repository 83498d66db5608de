// completion.h: what the completions for the three shells share: which values of an option are known. Each shell has a
// file of its own, which prints a script and runs none.
#ifndef GA_COMPLETION_H
#define GA_COMPLETION_H

#include "manual.h"

// Prints the values that the option takes of the model, with blanks between; nothing where they are not names of
// something in it.
void ga_complete_values(const struct ga_model *model, const struct ga_option *option);

bool ga_has_known_values(const struct ga_option *option);

// Whether the value, of an option or an operand, is the name of a file or a folder.
bool ga_is_path_value(const char *value);

// Prints text within the single quotes of a shell: before each of `escaped` a backslash, and for a quote what
// `quote` says.
void ga_complete_text(const char *text, const char *escaped, const char *quote);

// Each prints the completion for its shell on stdout.
void ga_complete_bash(const struct ga_context *context, const struct ga_self_option *table);
void ga_complete_zsh(const struct ga_context *context, const struct ga_self_option *table);
void ga_complete_fish(const struct ga_context *context, const struct ga_self_option *table);

#endif
