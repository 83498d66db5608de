// pretokenizer.h: a step that cuts a normalized text into pieces, each of which the model sees alone. Internal to
// libga_text. "Sequence" is none: the pipeline unrolls it.
#ifndef GA_TEXT_PRETOKENIZER_H
#define GA_TEXT_PRETOKENIZER_H

#include "component.h"

// A step does up to three things to the pieces it is given, in this order, each to one piece at a time: `before`
// rewrites it, `cut` cuts it, `after` rewrites each of its cuts. Rewriting appends one piece to another text, with
// spans where that is aligned, by the same rules as normalizers; an empty piece is dropped. Functions that are NULL
// change nothing. They return GA_OK, GA_MEMORY or GA_OVERFLOW; GA_FORMAT after an entry in error where a pattern passes
// its limits.
struct ga_text_pretokenizer_class {
    struct ga_text_component_class base;

    // where.text_start: the piece begins at byte 0 of the original text.
    enum ga_status (*before)(const void *self, void *scratch, const struct ga_text_string *in,
                             struct ga_text_span piece, struct ga_text_where where, struct ga_text_string *out);

    // Appends the cuts of the piece, as ranges of in, in order; what lies in none of them is dropped.
    enum ga_status (*cut)(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                          struct ga_text_cuts *out, struct ga_error *error);

    // Depends on the bytes of the piece alone.
    enum ga_status (*after)(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                            struct ga_text_string *out);
    ga_text_edges_function *edges;

    // Whether `before` changes any piece, and whether it asks where a piece stands. NULL: where there is one, it does.
    bool (*rewrites)(const void *self);
    bool (*asks_place)(const void *self);
};

extern const struct ga_text_pretokenizer_class ga_text_bert_pretokenizer;
extern const struct ga_text_pretokenizer_class ga_text_whitespace;
extern const struct ga_text_pretokenizer_class ga_text_whitespace_split;
extern const struct ga_text_pretokenizer_class ga_text_punctuation;
extern const struct ga_text_pretokenizer_class ga_text_digits;
extern const struct ga_text_pretokenizer_class ga_text_byte_level;
extern const struct ga_text_pretokenizer_class ga_text_metaspace;
extern const struct ga_text_pretokenizer_class ga_text_split;

// What becomes of what a pattern matches, and the names that the JSON has for them: "Removed", "Isolated",
// "MergedWithPrevious", "MergedWithNext", "Contiguous".
enum ga_text_behaviour {
    GA_TEXT_REMOVED,
    GA_TEXT_ISOLATED,
    GA_TEXT_MERGED_WITH_PREVIOUS,
    GA_TEXT_MERGED_WITH_NEXT,
    GA_TEXT_CONTIGUOUS,
};

// Reads a behaviour by its name; GA_FORMAT after an entry in the reader's error for any other.
enum ga_status ga_text_read_behaviour(struct ga_text_reader *reader, const char *field, struct ga_text_bytes name,
                                      enum ga_text_behaviour *behaviour_out);

// A part of a piece that matches, or one that does not: ranges that touch, in order.
struct ga_text_match {
    struct ga_text_span span;
    bool matches;
};

// Such ranges that grow. Zeroed memory is an empty list.
struct ga_text_matches {
    struct ga_text_match *items; // [count], room for capacity
    size_t count;
    size_t capacity;
};

// Appends a range, if it is not empty. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_matches_append(struct ga_text_matches *matches, size_t begin, size_t end, bool matching);

// Scratch of a component that holds matches alone: *scratch_out is a struct ga_text_matches.
enum ga_status ga_text_matches_open(const void *self, void **scratch_out);
void ga_text_matches_close(void *scratch);

// Appends the cuts that a behaviour makes of matches[count] (what `split` does in the package). Returns GA_OK,
// GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_cut_matches(enum ga_text_behaviour behaviour, const struct ga_text_match *matches, size_t count,
                                   struct ga_text_cuts *out);

#endif
