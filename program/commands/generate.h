// generate.h: what the two files of the command `generate` share.
#ifndef GA_GENERATE_H
#define GA_GENERATE_H

#include "command.h"
#include "token_walk.h"

// What was asked for; start's label and tokens are filled in by who finds them.
struct ga_generating {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    struct ga_token_walk_start start;
};

// A text to go on from; the strings are the command line's.
struct ga_generated_text {
    const char *text;
    const char *tokenizer;    // NULL: the one beside weights
    const char *weights;      // or NULL
    const char *const *stops; // [n_stops]
    size_t n_stops;
    bool ignores_ends; // goes on after a token that ends a text
};

// Prints the text and what comes after it. GA_EXIT_FAILED after a message.
enum ga_exit ga_generate_text(struct ga_generating *generating, const struct ga_generated_text *text);

#endif
