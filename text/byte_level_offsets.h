// byte_level_offsets.h: offsets of byte-level tokens without the white space around them (trim_offsets of ByteLevel and
// RobertaProcessing). Internal to libga_text.
#ifndef GA_TEXT_BYTE_LEVEL_OFFSETS_H
#define GA_TEXT_BYTE_LEVEL_OFFSETS_H

#include "bytes.h"

// Narrows *offsets, in code points, by the white space at both ends of token, spelled in the byte-level alphabet.
// first: the token is the first of its text, whose leading space may be one that was added.
void ga_text_trim_offsets(struct ga_text_bytes token, bool add_prefix_space, bool first, struct ga_text_span *offsets);

#endif
