// guard.c: the memory mappings of guard.h. Linux and the BSDs; no other allocator is involved.
#define _DEFAULT_SOURCE
#include "guard.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sanitized.h"

#ifdef GA_VALGRIND
#include <valgrind/memcheck.h>
#endif
#if SANITIZED_MEMORY
#include <sanitizer/msan_interface.h>
#endif

enum { PATTERN = 0xA5, BLANK = 0xFF };

// To what looks for numbers that nobody wrote, these are such.
static void mark_unset(void *data, size_t bytes)
{
    (void)data, (void)bytes;
#if SANITIZED_MEMORY
    __msan_poison(data, bytes);
#endif
#ifdef GA_VALGRIND
    (void)VALGRIND_MAKE_MEM_UNDEFINED(data, bytes);
#endif
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned char *first_page(const struct guard *guard)
{
    return (unsigned char *)guard->pages + page_size();
}

static size_t inner_bytes(const struct guard *guard)
{
    return guard->mapped - 2 * page_size();
}

static size_t offset_of(enum guard_place place, size_t room, size_t bytes, size_t align)
{
    const size_t away = (size_t)place / 2 * align;
    return place % 2 == GUARD_AT_START ? away : (room - bytes) / align * align - away;
}

bool guard_make(struct guard *guard, size_t bytes, size_t align, enum guard_place place)
{
    size_t page = page_size();
    size_t room = (bytes + align * (N_GUARD_PLACES / 2) + page - 1) / page * page;
    void *pages = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *guard = (struct guard){0};
    if (pages == MAP_FAILED) {
        return false;
    }
    *guard = (struct guard){.bytes = bytes, .pages = pages, .mapped = room + 2 * page};
    guard_open(guard);
    memset(first_page(guard), PATTERN, room);
    guard->data = first_page(guard) + offset_of(place, room, bytes, align);
    guard_blank(guard);
    return true;
}

static bool holds_pattern(const unsigned char *from, const unsigned char *to)
{
    for (; from < to; from++) {
        if (*from != PATTERN) {
            return false;
        }
    }
    return true;
}

bool guard_intact(const struct guard *guard)
{
    if (!guard->pages) {
        return true;
    }
    const unsigned char *data = guard->data;
    const unsigned char *end = first_page(guard) + inner_bytes(guard);
    return holds_pattern(first_page(guard), data) && holds_pattern(data + guard->bytes, end);
}

void guard_seal(const struct guard *guard)
{
    if (guard->pages) {
        mprotect(first_page(guard), inner_bytes(guard), PROT_READ);
    }
}

void guard_open(const struct guard *guard)
{
    if (guard->pages) {
        mprotect(first_page(guard), inner_bytes(guard), PROT_READ | PROT_WRITE);
    }
}

void guard_blank(const struct guard *guard)
{
    if (guard->bytes > 0) {
        memset(guard->data, BLANK, guard->bytes);
        mark_unset(guard->data, guard->bytes);
    }
}

void guard_drop(struct guard *guard)
{
    if (guard->pages) {
        munmap(guard->pages, guard->mapped);
    }
    *guard = (struct guard){0};
}
