// guard.h: buffers between two pages that cannot be touched, so that one read or write too far stops the test.
// Finds what sanitizers miss in vector code; measures nothing and is much too wasteful for anything but tests.
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

// Where in its pages a buffer lies: even places count alignments from the forbidden page after it, odd ones from the
// one before it, so that floats are tried at each of the sixteen places in a cache line, next to either page.
enum guard_place {
    GUARD_AT_END = 0,   // its last byte (rounded up to the alignment) is the last before the forbidden page
    GUARD_AT_START = 1, // its first byte is the first after the forbidden page
    GUARD_ODD = 3,      // one alignment after the start, so that it is aligned to nothing larger
    N_GUARD_PLACES = 32
};

struct guard {
    void *data;    // the buffer, aligned as asked; NULL: none
    size_t bytes;  //
    void *pages;   // the whole mapping, forbidden pages included
    size_t mapped; // bytes of it
};

// Maps a buffer of bytes (0 is allowed) aligned to align, a power of two up to a page, and fills it with 0xFF bytes:
// NaN as floats, -1 as whole numbers. The rest of its pages holds a pattern for guard_intact. False: no memory.
bool guard_make(struct guard *guard, size_t bytes, size_t align, enum guard_place place);

// True while nothing was written between the buffer and its forbidden pages.
bool guard_intact(const struct guard *guard);

// Makes the buffer's pages read-only, or writable again.
void guard_seal(const struct guard *guard);
void guard_open(const struct guard *guard);

// Fills the buffer with 0xFF bytes again, which valgrind and the memory sanitizer take for bytes that nobody wrote.
void guard_blank(const struct guard *guard);

// Unmaps everything; a guard that is all zero is allowed.
void guard_drop(struct guard *guard);

#endif
