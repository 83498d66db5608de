// post.h: what is done with the tokens of one or two texts: templates with special tokens, offsets trimmed, truncation.
// Internal to libga_text. Holds no tokens.
#ifndef GA_TEXT_POST_H
#define GA_TEXT_POST_H

#include "reader.h"
#include "settings.h"

enum { GA_TEXT_FIRST, GA_TEXT_SECOND, GA_TEXT_SPECIAL }; // what a place of a template is

// A place of a template.
struct ga_text_place {
    int what;        // of the enum above
    int32_t type_id; // of all tokens there
    int32_t id;      // of a special token
    char *token;     // its text, [length], its own
    size_t length;
};

struct ga_text_template {
    struct ga_text_place *places; // [count]
    size_t count;
    size_t n_special;
};

enum ga_text_strategy { GA_TEXT_LONGEST_FIRST, GA_TEXT_ONLY_FIRST, GA_TEXT_ONLY_SECOND };

struct ga_text_post {
    struct ga_text_template single, pair;
    bool has_template; // else both are $A:0 and $A:0 $B:1
    bool trims;        // trim_offsets
    bool add_prefix_space;
    bool truncates;
    bool from_left;
    size_t max_length;
    enum ga_text_strategy strategy;
};

// Reads "post_processor" and "truncation", either of which may be NULL. Returns GA_OK, GA_FORMAT or GA_MEMORY after an
// entry in the reader's error.
enum ga_status ga_text_post_read(struct ga_text_post *post, struct ga_text_reader *reader, json_t *processor,
                                 json_t *truncation);

// Has templates and truncation do what a model's settings say, whatever the file does.
void ga_text_post_set(struct ga_text_post *post, const struct ga_text_settings *settings);

void ga_text_post_free(struct ga_text_post *post);

// How many of counts[2] tokens (of which the second are 0 where there is no pair) are kept, into kept_out[2]. room: the
// places left for them. False: the strategy cannot leave so few.
bool ga_text_truncate(enum ga_text_strategy strategy, const size_t counts[2], bool is_pair, size_t room,
                      size_t kept_out[2]);

#endif
