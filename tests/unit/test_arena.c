// test_arena.c: pieces aligned and apart, a measurement that fits exactly, and failure that stays failure.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

Test(arena, align_up_rounds_and_saturates)
{
    const struct {
        size_t bytes, rounded;
    } rows[] = {
        {0, 0}, {1, 64}, {63, 64}, {64, 64}, {65, 128}, {SIZE_MAX - 63, SIZE_MAX - 63}, {SIZE_MAX - 62, SIZE_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(ga_align_up(rows[i].bytes), rows[i].rounded, "%zu bytes", rows[i].bytes);
    }
}

// Takes a few odd pieces and writes over each of them; false where one did not fit.
static bool lay_out(struct ga_arena *arena, unsigned char *pieces[3])
{
    static const struct {
        size_t count, width;
    } wanted[3] = {{3, 4}, {100, 1}, {5, 16}};
    bool good = true;
    for (size_t i = 0; i < 3; i++) {
        pieces[i] = ga_arena_take(arena, wanted[i].count, wanted[i].width);
        good = good && pieces[i] != NULL;
        if (pieces[i] != NULL) {
            memset(pieces[i], (int)i + 1, wanted[i].count * wanted[i].width);
        }
    }
    return good;
}

Test(arena, what_was_measured_fits_exactly)
{
    unsigned char *pieces[3];
    struct ga_arena measuring = ga_arena_measuring();
    cr_expect(!lay_out(&measuring, pieces));
    cr_assert_eq(measuring.used, 64 + 128 + 128);

    unsigned char *block = ga_block_new(measuring.used);
    struct ga_arena arena = ga_arena_over(block, measuring.used);
    cr_assert(lay_out(&arena, pieces));
    cr_expect_eq(arena.used, measuring.used);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq((uintptr_t)pieces[i] % GA_ALIGN, 0, "piece %zu", i);
        cr_expect_eq(*pieces[i], i + 1, "piece %zu was written over", i);
    }
    cr_expect_null(ga_arena_take(&arena, 1, 1), "the block is full");
    ga_block_free(block);
}

Test(arena, one_byte_less_than_measured_does_not_fit)
{
    unsigned char *pieces[3];
    struct ga_arena measuring = ga_arena_measuring();
    lay_out(&measuring, pieces);
    unsigned char *block = ga_block_new(measuring.used);
    struct ga_arena arena = ga_arena_over(block, measuring.used - 1);
    cr_expect(!lay_out(&arena, pieces));
    cr_expect_eq(arena.used, SIZE_MAX);
    ga_block_free(block);
}

Test(arena, exhaustion_is_for_good)
{
    unsigned char *block = ga_block_new(256);
    struct ga_arena arena = ga_arena_over(block, 256);
    cr_expect_null(ga_arena_take(&arena, 257, 1));
    cr_expect_null(ga_arena_take(&arena, 1, 1), "a smaller piece must not slip in after a failure");
    cr_expect_null(ga_arena_take(&arena, 0, 1));
    cr_expect_eq(arena.used, SIZE_MAX);
    ga_block_free(block);
}

Test(arena, overflowing_takes_fail)
{
    const struct {
        const char *name;
        size_t count, width;
    } rows[] = {{"product", SIZE_MAX / 2 + 1, 2}, {"rounding", SIZE_MAX - 1, 1}, {"wraps to 0", SIZE_MAX / 4 + 1, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_arena arena = ga_arena_measuring();
        cr_expect_null(ga_arena_take(&arena, rows[i].count, rows[i].width), "%s", rows[i].name);
        cr_expect_eq(arena.used, SIZE_MAX, "%s: used %zu", rows[i].name, arena.used);
    }
}

Test(arena, measured_sums_that_overflow_fail)
{
    struct ga_arena arena = ga_arena_measuring();
    ga_arena_take(&arena, SIZE_MAX / 2, 1);
    cr_expect_neq(arena.used, SIZE_MAX);
    ga_arena_take(&arena, SIZE_MAX / 2, 1);
    cr_expect_eq(arena.used, SIZE_MAX);
}

Test(arena, empty_pieces_take_no_room)
{
    unsigned char *block = ga_block_new(64);
    struct ga_arena arena = ga_arena_over(block, 64);
    cr_expect_not_null(ga_arena_take(&arena, 0, 4));
    cr_expect_eq(arena.used, 0);
    ga_block_free(block);
}

Test(arena, a_misaligned_base_gives_nothing)
{
    unsigned char *block = ga_block_new(256);
    struct ga_arena arena = ga_arena_over(block + 4, 128);
    cr_expect_null(ga_arena_take(&arena, 1, 1));
    cr_expect_eq(arena.used, SIZE_MAX);
    ga_block_free(block);
}

Test(arena, blocks_are_aligned_and_zeroed)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = ga_block_new(sizes[i]);
        cr_assert_not_null(block, "%zu bytes", sizes[i]);
        cr_expect_eq((uintptr_t)block % GA_ALIGN, 0, "%zu bytes", sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++) {
            cr_assert_eq(block[j], 0, "byte %zu of %zu", j, sizes[i]);
        }
        ga_block_free(block);
    }
    cr_expect_null(ga_block_new(SIZE_MAX));
    ga_block_free(NULL);
}

Test(arena, blocks_of_every_size_are_aligned_zeroed_and_writable_to_their_end)
{
    static const size_t sizes[] = {0, 1, 64, 4096, (2 << 20) - 64, 2 << 20, (2 << 20) + 1, 5 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int again = 0; again < 2; again++) { // the second time over memory that was used
            unsigned char *block = ga_block_new(sizes[i]);
            cr_assert_not_null(block, "%zu bytes", sizes[i]);
            cr_expect_eq((uintptr_t)block % GA_ALIGN, 0, "%zu bytes", sizes[i]);
            size_t used = 0;
            for (size_t at = 0; at < sizes[i]; at++) {
                used += block[at] != 0;
                block[at] = 0xff;
            }
            cr_expect_eq(used, 0, "%zu of %zu bytes are not zero", used, sizes[i]);
            ga_block_free(block);
        }
    }
    cr_expect_null(ga_block_new(SIZE_MAX));
    cr_expect_null(ga_block_new(SIZE_MAX - 64));
    cr_expect_null(ga_block_new((size_t)PTRDIFF_MAX + 1));
}

Test(arena, room_is_aligned_and_writable_to_its_end)
{
    static const size_t sizes[] = {0, 1, 65, (2 << 20) - 64, 2 << 20, (2 << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *block = ga_block_room(sizes[i]);
        cr_assert_not_null(block, "%zu bytes", sizes[i]);
        cr_expect_eq((uintptr_t)block % GA_ALIGN, 0, "%zu bytes", sizes[i]);
        memset(block, 0xff, sizes[i]);
        ga_block_free(block);
    }
    cr_expect_null(ga_block_room(SIZE_MAX));
    cr_expect_null(ga_block_room((size_t)PTRDIFF_MAX + 1));
}
