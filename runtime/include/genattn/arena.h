// arena.h: divides one block of the caller into aligned pieces. It never frees a single piece and never grows.
#ifndef GA_ARENA_H
#define GA_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_ALIGN = 64 }; // bytes; a cache line, and the widest vector

// An arena without a base only measures: ga_arena_take returns NULL, but `used` grows. The code that lays out a block
// thus also computes how large it must be.
struct ga_arena {
    unsigned char *base; // GA_ALIGN-aligned, or NULL to measure
    size_t size;         // bytes after base; SIZE_MAX when measuring
    size_t used;         // bytes taken, a multiple of GA_ALIGN; SIZE_MAX after a piece that did not fit
};

// Starts an arena over size bytes at base, which the caller owns. If base is misaligned, the arena is exhausted.
struct ga_arena ga_arena_over(void *base, size_t size);

// Starts an arena that only measures.
struct ga_arena ga_arena_measuring(void);

// Takes count elements of width bytes each, aligned to GA_ALIGN. Returns NULL when measuring, and if arena is NULL. If
// the block is exhausted or a product overflows, this call and all later ones return NULL, and used is SIZE_MAX.
void *ga_arena_take(struct ga_arena *arena, size_t count, size_t width);

// Rounds bytes up to a multiple of GA_ALIGN; SIZE_MAX if that overflows.
size_t ga_align_up(size_t bytes);

// A zeroed GA_ALIGN-aligned block from the C library, for callers without an allocator; NULL if there is no memory.
// From 2 MB on it asks for huge pages. ga_block_free frees it, and accepts NULL.
void *ga_block_new(size_t bytes);

// The same, but uninitialised: for callers that write all of it.
void *ga_block_room(size_t bytes);
void ga_block_free(void *block);

#ifdef __cplusplus
}
#endif
#endif
