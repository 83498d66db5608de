// decoder.h: a step from tokens back to text: a list of strings to a list of strings, which are joined in the end.
// Internal to libga_text. "Sequence" is none: the pipeline unrolls it.
#ifndef GA_TEXT_DECODER_H
#define GA_TEXT_DECODER_H

#include "component.h"

// Strings one after the other in one run of bytes. Zeroed memory is an empty list.
struct ga_text_list {
    struct ga_text_string text; // not aligned; need not be UTF-8 between two strings, but each string is
    struct ga_text_cuts cuts;   // the string i is text.bytes + cuts.items[i].begin ... end
};

// Appends one string, which may be empty. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_list_append(struct ga_text_list *list, const char *bytes, size_t length);

// The same of a string that has `with` in the place of each mark, which has a byte at least.
enum ga_status ga_text_list_replace(struct ga_text_list *list, struct ga_text_bytes string, struct ga_text_bytes mark,
                                    const char *with);

// Appends what was added to list->text since it had `begin` bytes, as one string.
enum ga_status ga_text_list_end(struct ga_text_list *list, size_t begin);

// The string i, borrowed until the next append.
struct ga_text_bytes ga_text_list_at(const struct ga_text_list *list, size_t i);
void ga_text_list_free(struct ga_text_list *list);

struct ga_text_decoder_class {
    struct ga_text_component_class base;

    // Appends what it makes of in to out, which is empty. Returns GA_OK, GA_MEMORY or GA_OVERFLOW; GA_FORMAT after an
    // entry in error where a pattern passes its limits.
    enum ga_status (*apply)(const void *self, void *scratch, const struct ga_text_list *in, struct ga_text_list *out,
                            struct ga_error *error);
};

extern const struct ga_text_decoder_class ga_text_wordpiece_decoder;
extern const struct ga_text_decoder_class ga_text_strip_decoder;
extern const struct ga_text_decoder_class ga_text_replace_decoder;
extern const struct ga_text_decoder_class ga_text_fuse_decoder;
extern const struct ga_text_decoder_class ga_text_byte_level_decoder;
extern const struct ga_text_decoder_class ga_text_metaspace_decoder;
extern const struct ga_text_decoder_class ga_text_byte_fallback_decoder;
extern const struct ga_text_decoder_class ga_text_bpe_decoder;

#endif
