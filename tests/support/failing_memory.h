// failing_memory.h: malloc and its like, which count the blocks that are out and refuse those they are told to. Not a
// header to use in two files of a program, as it defines them; nor under a sanitizer, which has its own. For glibc.
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <dlfcn.h> // with _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The program's: whether a block of so many bytes, which is asked for now, is refused.
static bool refuses_memory(size_t size);

static size_t live; // blocks handed out and not given back

// Where the call stands that asks for a block, for refuses_memory.
static const void *asker;
#define REMEMBER_ASKER() (asker = __builtin_return_address(0))

// Whether it is code of the shared library of a name.
static inline bool asker_is_of(const char *name)
{
    Dl_info library;
    return dladdr(asker, &library) != 0 && library.dli_fname != NULL && strstr(library.dli_fname, name) != NULL;
}

// glibc's own, which stay reachable by these names.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static bool may_have(size_t size)
{
    if (refuses_memory(size)) {
        errno = ENOMEM;
        return false;
    }
    return true;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *malloc(size_t size)
{
    REMEMBER_ASKER();
    return may_have(size) ? counted(__libc_malloc(size)) : NULL;
}

void *calloc(size_t count, size_t size)
{
    REMEMBER_ASKER();
    return may_have(count * size) ? counted(__libc_calloc(count, size)) : NULL;
}

void *realloc(void *block, size_t size)
{
    REMEMBER_ASKER();
    if (!may_have(size)) {
        return NULL;
    }
    void *moved = __libc_realloc(block, size);
    return block == NULL ? counted(moved) : moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    REMEMBER_ASKER();
    return may_have(size) ? counted(__libc_memalign(alignment, size)) : NULL;
}

int posix_memalign(void **block_out, size_t alignment, size_t size)
{
    *block_out = aligned_alloc(alignment, size);
    return *block_out == NULL ? ENOMEM : 0;
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}

#endif
