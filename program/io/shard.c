// shard.c: the blocks of a corpus by their number of texts, in turn.
#include "shard.h"

enum { MOST_BYTES = 1 << 19, BLOCKS_OF_EACH = 8 };

static uint64_t at_least_one(uint64_t number)
{
    return number > 0 ? number : 1;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct ga_shard ga_shard_of(size_t texts, uint64_t bytes, size_t index, size_t of)
{
    const uint64_t mean = at_least_one(bytes / at_least_one(texts));
    const uint64_t for_each = at_least_one(texts / ((uint64_t)BLOCKS_OF_EACH * of));
    const uint64_t for_bytes = at_least_one(MOST_BYTES / mean);
    return (struct ga_shard){index, of, texts, (size_t)smaller(smaller(for_each, for_bytes), GA_MOST_BLOCK)};
}

size_t ga_shard_blocks(const struct ga_shard *shard)
{
    const size_t all = shard->texts / shard->block + (shard->texts % shard->block > 0);
    return all > shard->index ? (all - shard->index - 1) / shard->of + 1 : 0;
}

size_t ga_shard_block(const struct ga_shard *shard, size_t i, size_t *count_out)
{
    const size_t first = (shard->index + i * shard->of) * shard->block;
    *count_out = (size_t)smaller(shard->block, shard->texts - first);
    return first;
}

size_t ga_shard_texts(const struct ga_shard *shard, size_t blocks)
{
    size_t count = 0;
    if (blocks == 0) {
        return 0;
    }
    (void)ga_shard_block(shard, blocks - 1, &count);
    return (blocks - 1) * shard->block + count;
}
