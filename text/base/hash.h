// hash.h: a number for a text, to tell texts apart, not to keep anyone from forging one: that which the generator's
// base/hash.lua gives. Internal to libga_text.
#ifndef GA_TEXT_HASH_H
#define GA_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

// The number of bytes[length], whose 16 hexadecimal digits are hash.hex's.
uint64_t ga_text_file_hash(const char *bytes, size_t length);

#endif
