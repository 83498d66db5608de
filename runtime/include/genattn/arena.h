// arena.h: one caller-owned block cut into aligned pieces; frees nothing piecewise and never grows.
#ifndef GA_ARENA_H
#define GA_ARENA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_ALIGN = 64 }; // bytes; a cache line, and the widest vector

// An arena without a base only measures: takes return NULL but `used` grows, so that the same code that
// lays a block out also says how large it must be.
struct ga_arena {
    unsigned char *base; // GA_ALIGN-aligned, or NULL to measure
    size_t size;         // bytes after base; SIZE_MAX when measuring
    size_t used;         // bytes taken, a multiple of GA_ALIGN; SIZE_MAX once a take did not fit
};

// Starts an arena over size bytes at base; both stay the caller's. Exhausted from the start where base is misaligned.
struct ga_arena ga_arena_over(void *base, size_t size);

// Starts an arena that only measures.
struct ga_arena ga_arena_measuring(void);

// Takes count elements of width bytes each, aligned to GA_ALIGN. NULL when measuring, and for good once the block is
// exhausted or a product overflows (then used == SIZE_MAX); NULL too where arena is NULL.
void *ga_arena_take(struct ga_arena *arena, size_t count, size_t width);

// Rounds bytes up to GA_ALIGN; SIZE_MAX where that overflows.
size_t ga_align_up(size_t bytes);

// A zeroed GA_ALIGN-aligned block from the C library, for callers that have no allocator of their own; NULL when there
// is none. From 2 MB on it asks for huge pages. Freed by ga_block_free, which takes NULL too.
void *ga_block_new(size_t bytes);

// The same, but what it holds is for the caller to write: where all of it will be, zeros would be written in vain.
void *ga_block_room(size_t bytes);
void ga_block_free(void *block);

#ifdef __cplusplus
}
#endif
#endif
