// test_shard.c: the blocks of shards: each text of a corpus is in one block of one shard, at any number of them.
#include <criterion/criterion.h>
#include <stdlib.h>

#include "shard.h"

// Counts the texts of all shards, each at its place; false where a block is empty, too large or beyond the end.
static bool count_texts(size_t texts, uint64_t bytes, size_t of, unsigned char *counts)
{
    bool fits = true;
    for (size_t k = 0; k < of; k++) {
        const struct ga_shard shard = ga_shard_of(texts, bytes, k, of);
        size_t sum = 0;
        for (size_t i = 0; i < ga_shard_blocks(&shard); i++) {
            size_t count;
            const size_t first = ga_shard_block(&shard, i, &count);
            fits = fits && count > 0 && count <= GA_MOST_BLOCK && first + count <= texts;
            for (size_t t = first; fits && t < first + count; t++) {
                counts[t]++;
            }
            sum += count;
            fits = fits && ga_shard_texts(&shard, i + 1) == sum;
        }
    }
    return fits;
}

Test(shard, each_text_is_in_one_block)
{
    static const size_t texts[] = {0, 1, 2, 7, 8, 63, 64, 65, 1000, 12345, 100000};
    static const size_t numbers[] = {1, 2, 3, 7, 16, 1000, 4096};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            unsigned char *counts = calloc(texts[t] + 1, 1);
            cr_assert(count_texts(texts[t], 80 * texts[t], numbers[n], counts), "%zu texts, %zu shards", texts[t],
                      numbers[n]);
            for (size_t i = 0; i < texts[t]; i++) {
                cr_assert_eq(counts[i], 1, "text %zu of %zu, %zu shards: in %d blocks", i, texts[t], numbers[n],
                             counts[i]);
            }
            free(counts);
        }
    }
}

// Shards have as many texts as each other, but for a block.
Test(shard, shards_are_alike)
{
    const struct ga_shard first = ga_shard_of(1000003, 90000000, 0, 37);
    const size_t most = ga_shard_texts(&first, ga_shard_blocks(&first));
    for (size_t k = 1; k < first.of; k++) {
        const struct ga_shard shard = ga_shard_of(1000003, 90000000, k, first.of);
        cr_expect_leq(most - ga_shard_texts(&shard, ga_shard_blocks(&shard)), first.block);
    }
}

Test(shard, long_texts_make_small_blocks)
{
    cr_expect_eq(ga_shard_of(1000000, 0, 0, 1).block, GA_MOST_BLOCK);
    cr_expect_eq(ga_shard_of(1000000, 1000000000, 0, 1).block, 524);
    cr_expect_eq(ga_shard_of(1000, (uint64_t)1000 << 24, 0, 1).block, 1);
}
