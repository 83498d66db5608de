// arena.c: cuts one block into GA_ALIGN-aligned pieces, or only measures; frees nothing piecewise and never grows.
#define _DEFAULT_SOURCE // madvise, posix_memalign
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 * 1024 * 1024 }; // bytes, on x86-64 and on AArch64 with pages of 4 KiB

size_t ga_align_up(size_t bytes)
{
    return bytes > SIZE_MAX - (GA_ALIGN - 1) ? SIZE_MAX : (bytes + (GA_ALIGN - 1)) / GA_ALIGN * GA_ALIGN;
}

struct ga_arena ga_arena_over(void *base, size_t size)
{
    const bool aligned = (uintptr_t)base % GA_ALIGN == 0;
    return (struct ga_arena){.base = base, .size = size, .used = aligned ? 0 : SIZE_MAX};
}

struct ga_arena ga_arena_measuring(void)
{
    return (struct ga_arena){.base = NULL, .size = SIZE_MAX, .used = 0};
}

void *ga_arena_take(struct ga_arena *arena, size_t count, size_t width)
{
    if (arena == NULL) {
        return NULL;
    }
    const bool product_fits = width == 0 || count <= SIZE_MAX / width;
    const size_t bytes = product_fits ? ga_align_up(count * width) : SIZE_MAX;
    if (bytes == SIZE_MAX || arena->used > arena->size || bytes > arena->size - arena->used) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    unsigned char *piece = arena->base == NULL ? NULL : arena->base + arena->used;
    arena->used += bytes;
    return piece;
}

// A large block on pages of 2 MB where the system has them: one fault in place of 512, and fewer misses of the TLB.
static void *new_on_huge_pages(size_t size)
{
    void *block = NULL;
    if (posix_memalign(&block, HUGE_PAGE, size) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(block, size, MADV_HUGEPAGE); // a wish: where it is refused, small pages do
#endif
    return block;
}

void *ga_block_room(size_t bytes)
{
    const size_t size = ga_align_up(bytes == 0 ? 1 : bytes);
    if (size > PTRDIFF_MAX) { // no object is larger; some allocators (AddressSanitizer's) abort when asked
        return NULL;
    }
    return size >= HUGE_PAGE ? new_on_huge_pages(size) : aligned_alloc(GA_ALIGN, size);
}

void *ga_block_new(size_t bytes)
{
    void *block = ga_block_room(bytes);
    return block == NULL ? NULL : memset(block, 0, ga_align_up(bytes == 0 ? 1 : bytes));
}

void ga_block_free(void *block)
{
    free(block);
}
