// embed_options.h: the options of `embed`, by place, and what its help says. Does nothing.
#ifndef GA_EMBED_OPTIONS_H
#define GA_EMBED_OPTIONS_H

#include "command.h"
#include "weights_options.h"

enum {
    GA_EMBED_TOKENS = GA_OPTIONS_LOADING,
    GA_EMBED_TEXT,
    GA_EMBED_NUL,
    GA_EMBED_TOKENIZER,
    GA_EMBED_OUTPUT,
    GA_EMBED_FORMAT,
    GA_EMBED_PROMPT,
    GA_EMBED_DIMS,
    GA_EMBED_TOKENS_OUT,
    GA_EMBED_REPLACE,
    GA_EMBED_ROWS,
    GA_EMBED_CUT,
    GA_EMBED_SHARD,
    GA_EMBED_RESUME,
    GA_EMBED_MERGE,
    GA_EMBED_PROGRESS,
    GA_EMBED_ISA,
    GA_EMBED_THREADS,
    GA_EMBED_TIMEOUT
};

extern const struct ga_option ga_embed_options[];
extern const char *const ga_embed_notes[];
extern const char *const ga_embed_examples[];

#endif
