// arena.c: cuts one block into GA_ALIGN-aligned pieces, or only measures; frees nothing piecewise and never grows.
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

void *ga_block_new(size_t bytes)
{
    const size_t size = ga_align_up(bytes == 0 ? 1 : bytes);
    void *block = size == SIZE_MAX ? NULL : aligned_alloc(GA_ALIGN, size);
    return block == NULL ? NULL : memset(block, 0, size);
}

void ga_block_free(void *block)
{
    free(block);
}
