// chunks.h: chunks of raw text (component.h), whose ids are those that they have anywhere. Internal to libga_text.
#ifndef GA_TEXT_CHUNKS_H
#define GA_TEXT_CHUNKS_H

#include <stddef.h>

// The end of the chunk of bytes[length] that begins at `begin`.
size_t ga_text_chunk_end(const char *bytes, size_t length, size_t begin);

#endif
