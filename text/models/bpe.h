// bpe.h: what the files of the BPE model share. Internal to them.
#ifndef GA_TEXT_BPE_H
#define GA_TEXT_BPE_H

#include "merges.h"
#include "symbols.h"
#include "text_model.h"

enum { GA_TEXT_BPE_AFFIX = 64, GA_TEXT_BPE_CHARACTERS = 0x200 };

// Text of a prefix or suffix, at most GA_TEXT_BPE_AFFIX bytes.
struct ga_text_affix {
    char bytes[GA_TEXT_BPE_AFFIX];
    size_t length;
};

struct ga_text_bpe {
    struct ga_text_vocabulary vocabulary;
    struct ga_text_merges merges;
    bool has_unknown;   // the file names a token for what is unknown
    int32_t unknown_id; // GA_TEXT_NO_ID: the vocabulary lacks it
    bool fuse_unknown;
    bool byte_fallback;
    bool has_scores;                            // merges follow from scores, which stay in a packed tokenizer's JSON
    bool ignore_merges;                         // a piece that is a token is that token
    struct ga_text_affix prefix, suffix;        // of characters after the first; of the last
    int32_t byte_ids[256];                      // of "<0x00>" to "<0xFF>", or GA_TEXT_NO_ID
    int32_t characters[GA_TEXT_BPE_CHARACTERS]; // ids of the first code points, without prefix and suffix
    bool cuts_at_marks; // ga_text_bpe_cuts_at U+2581, which begins words, and no piece is looked up whole
};

// Whether the tokens of a text are those of its parts, where it is cut before a mark (one character) that follows
// another character: the mark is a token, or bytes, and no merge joins it to what is before it.
bool ga_text_bpe_cuts_at(const struct ga_text_bpe *bpe, struct ga_text_bytes mark);

// struct ga_text_model_class's encode and word_end; scratch is a struct ga_text_symbols.
enum ga_status ga_text_bpe_encode(const void *self, void *scratch, const char *piece, size_t length,
                                  struct ga_text_tokens *out, struct ga_error *error);
size_t ga_text_bpe_word_end(const void *self, const char *piece, size_t length, size_t begin);

#endif
