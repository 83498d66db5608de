// test_guard.c: that guards stand where they say: places cover a cache line from both pages, a touch beyond a page ends
// the test, and what was written between buffer and page is noticed.
#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "support/guard.h"

enum { BYTES = 3 * 64, LINE = 64 };

static struct guard made(enum guard_place place)
{
    struct guard guard;
    cr_assert(guard_make(&guard, BYTES, sizeof(float), place));
    return guard;
}

// Bytes from the page before the buffer to it, and from its end to the page after it.
static size_t before(const struct guard *guard)
{
    return (size_t)((char *)guard->data - (char *)guard->pages) - (size_t)sysconf(_SC_PAGESIZE);
}

static size_t after(const struct guard *guard)
{
    return guard->mapped - 2 * (size_t)sysconf(_SC_PAGESIZE) - before(guard) - guard->bytes;
}

Test(guard, places_count_floats_from_either_page)
{
    for (int place = 0; place < N_GUARD_PLACES; place++) {
        struct guard guard = made((enum guard_place)place);
        const size_t away = (size_t)place / 2 * sizeof(float);
        cr_expect_eq(place % 2 == GUARD_AT_START ? before(&guard) : after(&guard), away, "place %d", place);
        guard_drop(&guard);
    }
}

Test(guard, places_next_to_either_page_cover_a_cache_line)
{
    for (int side = 0; side < 2; side++) {
        bool seen[LINE / sizeof(float)] = {false};
        for (int place = side; place < N_GUARD_PLACES; place += 2) {
            struct guard guard = made((enum guard_place)place);
            seen[(uintptr_t)guard.data % LINE / sizeof(float)] = true;
            guard_drop(&guard);
        }
        for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
            cr_expect(seen[i], "no place puts a buffer %zu floats into a cache line", i);
        }
    }
}

Test(guard, a_touch_behind_the_end_is_a_fault, .signal = SIGSEGV)
{
    struct guard guard = made(GUARD_AT_END);
    cr_expect(((volatile char *)guard.data)[BYTES] == 0);
}

Test(guard, a_touch_before_the_start_is_a_fault, .signal = SIGSEGV)
{
    struct guard guard = made(GUARD_AT_START);
    cr_expect(((volatile char *)guard.data)[-1] == 0);
}

Test(guard, a_write_into_a_sealed_buffer_is_a_fault, .signal = SIGSEGV)
{
    struct guard guard = made(GUARD_ODD);
    guard_seal(&guard);
    ((volatile char *)guard.data)[0] = 1;
}

Test(guard, a_write_between_buffer_and_page_is_noticed)
{
    struct guard guard = made(GUARD_ODD);
    cr_expect(guard_intact(&guard));
    ((char *)guard.data)[-1] = 1;
    cr_expect_not(guard_intact(&guard));
    guard_drop(&guard);
}
