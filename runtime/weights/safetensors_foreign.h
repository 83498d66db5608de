// safetensors_foreign.h: which other format a file is of that was taken for safetensors, by its first bytes. Reads
// nothing of any of them. Internal to the weights library.
#ifndef GA_SAFETENSORS_FOREIGN_H
#define GA_SAFETENSORS_FOREIGN_H

#include <stddef.h>

enum { GA_FOREIGN_BYTES = 128 }; // of a file's beginning, more of which tell nothing

struct ga_foreign {
    const char *what;    // "a NumPy array (.npy)"
    const char *instead; // what to do, a clause
};

// The format of a file that begins with these `size` bytes and is no safetensors file; NULL where it is none that is
// known. A safetensors file that is cut off or damaged is none of them.
const struct ga_foreign *ga_foreign_format(const unsigned char *bytes, size_t size);

#endif
