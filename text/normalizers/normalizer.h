// normalizer.h: a step that rewrites a text before it is cut. Internal to libga_text. "Sequence" is none: the pipeline
// unrolls it.
#ifndef GA_TEXT_NORMALIZER_H
#define GA_TEXT_NORMALIZER_H

#include "component.h"

struct ga_text_normalizer_class {
    struct ga_text_component_class base;

    // Appends what it makes of in to out, which is empty. Where out is aligned, in is as well, and each byte of out
    // takes the span of the byte of in that it comes from: of a character that takes the place of others, the first
    // byte's of the first; of an inserted one, the span of the byte before it ({0, 0} at the beginning), as the package
    // does. transform.h has that.
    // Returns GA_OK, GA_MEMORY or GA_OVERFLOW; GA_FORMAT after an entry in error where a pattern passes its limits.
    enum ga_status (*apply)(const void *self, void *scratch, const struct ga_text_string *in,
                            struct ga_text_where where, struct ga_text_string *out, struct ga_error *error);
    ga_text_edges_function *edges;

    // Whether texts of ASCII bytes below 0x80 come out as they went in. NULL: they may not.
    bool (*keeps_ascii)(const void *self);
};

extern const struct ga_text_normalizer_class ga_text_bert_normalizer;
extern const struct ga_text_normalizer_class ga_text_nfc;
extern const struct ga_text_normalizer_class ga_text_nfd;
extern const struct ga_text_normalizer_class ga_text_nfkc;
extern const struct ga_text_normalizer_class ga_text_nfkd;
extern const struct ga_text_normalizer_class ga_text_lowercase;
extern const struct ga_text_normalizer_class ga_text_strip_accents;
extern const struct ga_text_normalizer_class ga_text_strip;
extern const struct ga_text_normalizer_class ga_text_replace;
extern const struct ga_text_normalizer_class ga_text_prepend;
extern const struct ga_text_normalizer_class ga_text_precompiled;
extern const struct ga_text_normalizer_class ga_text_gguf_words;
extern const struct ga_text_normalizer_class ga_text_gguf_spaces;

#endif
