// graphemes.h: where extended grapheme clusters of a text end. Internal to libga_text.
#ifndef GA_TEXT_GRAPHEMES_H
#define GA_TEXT_GRAPHEMES_H

#include "bytes.h"

// The end of the cluster that begins at byte `at` of text[length], which is valid UTF-8; at < length. Clusters that are
// longer than five bytes may end otherwise than the package's, which does not look at them as a whole.
size_t ga_text_grapheme_end(const char *text, size_t length, size_t at);

// Whether a code point joins what follows it to a cluster, whatever that is (Prepend).
bool ga_text_joins_next(uint32_t code_point);

#endif
