// gguf_pre.h: what the names of tokenizer.ggml.pre stand for: the expressions that cut a text before the merges of a
// byte-level BPE. Internal to libga_text.
#ifndef GA_TEXT_GGUF_PRE_H
#define GA_TEXT_GGUF_PRE_H

#include "bytes.h"

enum { GA_TEXT_GGUF_CUTS = 4 };

struct ga_text_gguf_pre {
    const char *cuts[GA_TEXT_GGUF_CUTS]; // regular expressions, each applied to what those before it left; then NULL
    bool ignores_merges;                 // a piece that is a token is that token
    bool adds_bos;                       // where the file does not say
};

// The row of a name; NULL where the name is not known.
const struct ga_text_gguf_pre *ga_text_gguf_pre_of(struct ga_text_bytes name);

#endif
