// generate.h: what the files of the command `generate` share.
#ifndef GA_GENERATE_H
#define GA_GENERATE_H

#include "command.h"
#include "rank_team.h"
#include "texts.h"
#include "token_walk.h"

// What was asked for; start's label and tokens are filled in by who finds them.
struct ga_generating {
    const struct ga_context *context; // team's
    struct ga_rank_team team;
    const struct ga_model_instance *instance;
    struct ga_token_walk_start start;
};

// A text to go on from, or a message to answer; the strings are the command line's.
struct ga_generated_text {
    const char *text;          // NULL: there is a message
    const char *chat;          // the message
    const char *system;        // what comes before it, or NULL
    const char *chat_template; // the name of a form; NULL: that of the tokenizer's template
    const char *tokenizer;     // NULL: the one in the folder of the weights
    const char *weights;       // or NULL
    const char *const *stops;  // [n_stops]
    size_t n_stops;
    bool ignores_ends; // goes on after a token that ends a text
};

// Opens a walk from start, and compares it with those of other ranks.
enum ga_exit ga_generating_begin(struct ga_generating *generating, struct ga_token_walk *walk_out);

// Prints the text and what comes after it, or the answer. GA_EXIT_FAILED after a message.
enum ga_exit ga_generate_text(struct ga_generating *generating, const struct ga_generated_text *text);

// The tokens of a chat up to where the answer begins, and *end_out, the id of the token that ends an answer, -1 where
// the tokenizer has none. GA_EXIT_FAILED after a message.
enum ga_exit ga_chat_encode(const struct ga_context *context, const struct ga_text_tools *tools,
                            const struct ga_generated_text *text, struct ga_text_encoding *encoding_out,
                            int32_t *end_out);

#endif
